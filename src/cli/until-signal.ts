import type { Logger } from '../common/logger.js';
import { outliveReader } from './output-reader.js';

/** Closing the storage gets this long after what is in flight had its time. */
const CLOSING_MS = 8000;

export interface EndOptions {
  logger: Logger;
  /** Milliseconds that what is in flight gets to finish. */
  shutdownTimeoutMs: number;
  /** Ends the process in good order. */
  close(): Promise<unknown>;
}

/** Waits for SIGTERM or SIGINT. The first shuts the process down gracefully, a second ends it at once. */
export async function untilSignal({ logger, shutdownTimeoutMs, close }: EndOptions): Promise<void> {
  outliveReader();
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve).once('SIGINT', resolve);
  });
  process.once('SIGTERM', () => process.exit(1)).once('SIGINT', () => process.exit(1));
  setTimeout(() => process.exit(1), shutdownTimeoutMs + CLOSING_MS).unref();
  logger.info({ signal }, 'shutting down');
  await close();
  logger.info('shut down');
}
