import type { IncomingMessage, ServerResponse } from 'node:http';
import { Slots } from '../../common/slots.js';
import type { BodyBudget, BodyShare } from './body-budget.js';
import { ClientGone } from './body.errors.js';
import { collectBody } from './collect-body.js';
import { checkContentCoding, decodeContent } from './content-coding.js';

/** A request whose body may count in a budget. */
export type BudgetedRequest = IncomingMessage & {
  /** The body's share of the budget, until the response is closed or other code takes it over. */
  bodyShare?: BodyShare;
};

export interface BodyReaderOptions {
  budget: BodyBudget;
  /** Concurrent decompressions; other bodies wait compressed. */
  decompressions: number;
  /** Milliseconds that a body may take to arrive; null for no separate limit. */
  timeoutMs: number | null;
  /** Most decompressed bytes per compressed byte; null if only the route's limit applies. */
  maxRatio: number | null;
}

/** A compressed body may always decompress to this size, whatever the ratio: short repetitive texts compress very well. */
const SMALL_BYTES = 64 * 1024;

export interface ReadOptions {
  /** Most bytes, both sent and decompressed. */
  limitBytes: number;
  /** Called when the whole body has arrived, before decompression; throws if the caller is no longer allowed. Null for no check. */
  admitAgain: (() => Promise<void>) | null;
}

/** Reads the bodies of a group of callers within their common budget. */
export class BodyReader {
  private readonly budget: BodyBudget;
  private readonly timeoutMs: number | null;
  private readonly maxRatio: number | null;
  private readonly slots: Slots;

  constructor({ budget, decompressions, timeoutMs, maxRatio }: BodyReaderOptions) {
    this.budget = budget;
    this.timeoutMs = timeoutMs;
    this.maxRatio = maxRatio;
    this.slots = new Slots(decompressions);
  }

  /**
   * The decompressed body. Its bytes count until the response is closed or other code takes them over.
   * @throws DomainError `too_large`, `unavailable` without room, `timed_out`, `invalid`, `unsupported_media`, `unauthenticated`; ClientGone
   */
  async read(request: BudgetedRequest, response: ServerResponse, options: ReadOptions): Promise<Buffer> {
    const { limitBytes, admitAgain } = options;
    const coding = checkContentCoding(request.headers['content-encoding']);
    const share = this.budget.share();
    const sent = await collectBody(request, response, { limitBytes, share, timeoutMs: this.timeoutMs });
    holdUntilClosed(request, response, share);
    if (admitAgain) await admitAgain();
    if (coding === 'identity' || sent.length === 0) return sent;
    return this.slots.run(() => {
      // Nobody waits for this body any more, and a caller that keeps disconnecting must not delay others.
      if (response.destroyed) throw new ClientGone();
      return decodeContent(coding, sent, Math.min(limitBytes, this.mostOf(sent)), share);
    });
  }

  private mostOf(sent: Buffer): number {
    return this.maxRatio === null ? Infinity : Math.max(SMALL_BYTES, sent.length * this.maxRatio);
  }
}

/** Work that outlives the connection takes over the share; see `whileHeld`. */
function holdUntilClosed(request: BudgetedRequest, response: ServerResponse, share: BodyShare): void {
  request.bodyShare = share;
  const release = () => {
    if (request.bodyShare !== share) return;
    request.bodyShare = undefined;
    share.give();
  };
  if (response.closed) release();
  else response.once('close', release);
}

/**
 * Works on a body's bytes, which keep counting in the budget even if the caller disconnects.
 * @param work may release them earlier
 */
export async function whileHeld<T>(request: BudgetedRequest, work: (release: () => void) => Promise<T>): Promise<T> {
  const share = request.bodyShare;
  request.bodyShare = undefined;
  const release = () => share?.give();
  try {
    return await work(release);
  } finally {
    release();
  }
}
