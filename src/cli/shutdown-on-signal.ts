import type { Logger } from '../common/logger.js';
import { ignoreClosedPipe } from './output-streams.js';

/** Milliseconds to close the storage, after the time for requests in flight. */
const CLOSING_MS = 8000;

export interface EndOptions {
  logger: Logger;
  /** Milliseconds for requests in flight to finish. */
  shutdownTimeoutMs: number;
  /** Shuts the process down gracefully. */
  close(): Promise<unknown>;
}

/** Waits for SIGTERM or SIGINT. The first shuts the process down gracefully, the second ends it at once. */
export async function shutDownOnSignal({ logger, shutdownTimeoutMs, close }: EndOptions): Promise<void> {
  ignoreClosedPipe();
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve).once('SIGINT', resolve);
  });
  process.once('SIGTERM', () => process.exit(1)).once('SIGINT', () => process.exit(1));
  const limit = setTimeout(() => process.exit(1), shutdownTimeoutMs + CLOSING_MS).unref();
  logger.info({ signal }, 'shutting down');
  await close();
  clearTimeout(limit);
  logger.info('shut down');
}
