import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '../../common/domain-error.js';
import { TimeSlices } from '../../common/time-slices.js';
import { bodyTooLarge, ClientGone } from './body.errors.js';

/** Bytes that a refused client may still send, so that it gets to read the answer, before the connection is cut. */
export const DISCARD_LIMIT_BYTES = 64 * 1024 * 1024;

/** Bytes that are put together at once. */
const AT_ONCE_BYTES = 1024 * 1024;

/** Counts the bytes of all bodies that are on their way in, so that many slow senders cannot fill the memory. */
export class BodyBudget {
  private heldBytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Answers false, and holds nothing, when there is no room. */
  take(bytes: number): boolean {
    if (this.heldBytes + bytes > this.maxBytes) return false;
    this.heldBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.heldBytes -= bytes;
  }
}

/**
 * The body as it was sent.
 * @throws DomainError `too_large` beyond `limitBytes`, `unavailable` when the budget is spent; ClientGone when the sender went away.
 */
export function collectBody(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
  budget: BodyBudget,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.reject(bodyTooLarge(limitBytes));
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => new Collector(request, limitBytes, budget, resolve, reject).start());
}

class Collector {
  private chunks: Buffer[] = [];
  private sizeBytes = 0;
  private isSettled = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly limitBytes: number,
    private readonly budget: BodyBudget,
    private readonly resolve: (body: Buffer) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  start(): void {
    this.request.on('data', (chunk: Buffer) => this.onData(chunk));
    this.request.on('end', () => this.onEnd());
    this.request.on('error', () => this.onGone());
    this.request.on('close', () => this.onGone());
  }

  private onData(chunk: Buffer): void {
    if (this.isSettled) return this.discard(chunk);
    if (this.sizeBytes + chunk.length > this.limitBytes) return this.fail(bodyTooLarge(this.limitBytes));
    if (!this.budget.take(chunk.length)) return this.fail(overloaded());
    this.sizeBytes += chunk.length;
    this.chunks.push(chunk);
  }

  private onEnd(): void {
    if (this.isSettled) return;
    const { chunks, sizeBytes } = this;
    this.isSettled = true;
    if (sizeBytes > AT_ONCE_BYTES) {
      joinCalmly(chunks, sizeBytes)
        .finally(() => this.release())
        .then(this.resolve, this.reject);
      return;
    }
    this.release();
    this.resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, sizeBytes));
  }

  /** Comes after every complete request as well, so it must cost nothing then. */
  private onGone(): void {
    if (!this.isSettled) this.fail(new ClientGone());
  }

  private fail(error: Error): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.release();
    this.reject(error);
  }

  private release(): void {
    this.budget.release(this.sizeBytes);
    this.chunks = [];
    this.sizeBytes = 0;
  }

  private discard(chunk: Buffer): void {
    this.sizeBytes += chunk.length;
    if (this.sizeBytes > DISCARD_LIMIT_BYTES) this.request.destroy();
  }
}

/** The same in slices: the first touch of so much memory alone may take a tenth of a second, for which other requests would wait. */
async function joinCalmly(chunks: readonly Buffer[], sizeBytes: number): Promise<Buffer> {
  const slices = new TimeSlices();
  const body = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(body, at);
    await slices.pauseIfDue();
  }
  return body;
}

function overloaded(): DomainError {
  return new DomainError('unavailable', 'overloaded', 'Too many large requests are on their way; try again shortly.', {
    retryAfterSeconds: 1,
  });
}
