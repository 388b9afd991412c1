import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyShare } from './body-budget.js';
import { bodyTooLarge, bodyTooSlow, ClientGone, overloaded } from './body.errors.js';
import { TimeSlices } from '../../common/time-slices.js';

/** Bytes that a refused client may still send, so that it can read the response, before the connection is cut. */
export const DISCARD_LIMIT_BYTES = 64 * 1024 * 1024;

export interface CollectOptions {
  limitBytes: number;
  /** Counts the bytes, even after the whole body has arrived. */
  share: BodyShare;
  /** Milliseconds for the whole body; null for the server's limit for any request. */
  timeoutMs: number | null;
}

/**
 * The body as sent.
 * @throws DomainError `too_large`, `unavailable` if the budget is spent, `timed_out`; ClientGone
 */
export function collectBody(
  request: IncomingMessage,
  response: ServerResponse,
  options: CollectOptions,
): Promise<Buffer> {
  const { limitBytes } = options;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.reject(bodyTooLarge(limitBytes));
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => new Collector(request, response, options, { resolve, reject }).start());
}

interface Outcome {
  resolve: (body: Buffer | Promise<Buffer>) => void;
  reject: (error: Error) => void;
}

class Collector {
  private chunks: Buffer[] = [];
  private sizeBytes = 0;
  private isSettled = false;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly options: CollectOptions,
    private readonly outcome: Outcome,
  ) {}

  start(): void {
    this.request.on('data', (chunk: Buffer) => this.onData(chunk));
    this.request.on('end', () => this.onEnd());
    this.request.on('error', () => this.onGone());
    this.request.on('close', () => this.onGone());
    const { timeoutMs } = this.options;
    if (timeoutMs !== null) this.timer = setTimeout(() => this.onTimeout(), timeoutMs);
  }

  private onData(chunk: Buffer): void {
    if (this.isSettled) return this.discard(chunk);
    const { limitBytes, share } = this.options;
    if (this.sizeBytes + chunk.length > limitBytes) return this.fail(bodyTooLarge(limitBytes));
    if (!share.take(chunk.length)) return this.fail(overloaded());
    this.sizeBytes += chunk.length;
    this.chunks.push(chunk);
  }

  private onEnd(): void {
    if (this.isSettled) return;
    this.settle();
    this.outcome.resolve(joinInSlices(this.chunks, this.sizeBytes));
  }

  private onTimeout(): void {
    // A client this slow would only occupy the connection.
    this.response.setHeader('Connection', 'close');
    this.fail(bodyTooSlow());
  }

  /** Also fires after every complete request, so it must be cheap then. */
  private onGone(): void {
    if (!this.isSettled) this.fail(new ClientGone());
  }

  private fail(error: Error): void {
    if (this.isSettled) return;
    this.settle();
    this.options.share.give();
    this.chunks = [];
    this.sizeBytes = 0;
    this.outcome.reject(error);
  }

  private settle(): void {
    this.isSettled = true;
    clearTimeout(this.timer);
  }

  private discard(chunk: Buffer): void {
    this.sizeBytes += chunk.length;
    if (this.sizeBytes > DISCARD_LIMIT_BYTES) this.request.destroy();
  }
}

/** Bytes that are joined at once. */
const AT_ONCE_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Joins buffers. Large ones are joined in slices, because touching that much memory for the first time can take a tenth of a second.
 * @param chunks removed from the list as they are copied
 */
export async function joinInSlices(chunks: Buffer[], sizeBytes: number): Promise<Buffer> {
  if (chunks.length === 1) return chunks[0]!;
  if (sizeBytes <= AT_ONCE_BYTES) return Buffer.concat(chunks, sizeBytes);
  const slices = new TimeSlices();
  const body = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for (let i = 0; i < chunks.length; i++) {
    at += chunks[i]!.copy(body, at);
    chunks[i] = NOTHING;
    await slices.pauseIfDue();
  }
  return body;
}
