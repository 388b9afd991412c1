import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { DueTimer } from '../common/due-timer.js';
import { invalidToken } from '../common/invalid-token.js';
import { joinAborts } from '../common/joined-abort.js';
import type { LongPoll } from '../common/long-poll.js';
import { ShutdownSignal } from '../common/shutdown-signal.js';
import { timeLimit } from '../common/time-limit.js';
import { ChangeFeed } from './change-feed.js';
import { ChangeWaiter } from './change-waiter.js';

/** The current state of what a request waits for. */
export interface PolledState {
  threadPk: number;
  etag: string;
  /** When it changes by itself; null for never. */
  dueMs: number | null;
}

/** How a request waits, and the caller's ETag. */
export interface WaitOptions {
  /** Milliseconds to wait for a change; 0 not to wait. */
  waitMs: number;
  /** The caller's ETags; null without If-None-Match. */
  knownEtags: readonly string[] | null;
}

/** Holds requests that wait for a change in a thread. Each module with such requests has its own. */
@Injectable()
export class LongPollService {
  /** Waiting requests. */
  openWaits = 0;

  constructor(
    private readonly feed: ChangeFeed,
    private readonly shutdown: ShutdownSignal,
    private readonly clock: Clock,
  ) {}

  /**
   * Looks now and at each change, until the state differs from the caller's ETag or the time is up. Without an ETag, it waits for a change
   * from the first look.
   * @param request used only if it waits
   * @throws DomainError `unauthenticated` if the token ended during the wait; whatever `look` throws
   */
  async waitForChange<L extends PolledState>(
    look: () => Promise<L>,
    { waitMs, knownEtags }: WaitOptions,
    request: LongPoll,
  ): Promise<L> {
    const first = await look();
    const known = knownEtags ?? [first.etag];
    if (waitMs === 0 || !isKnown(first.etag, known)) return first;
    const limit = timeLimit(waitMs);
    const { signal: end, release } = joinAborts(limit.signal, request.gone(), this.shutdown.signal);
    const due = new DueTimer(this.clock);
    const changes = new ChangeWaiter((listener) => {
      due.onDue = listener;
      return this.feed.subscribe(first.threadPk, listener);
    }, end);
    this.openWaits += 1;
    try {
      let found = await look();
      while (isKnown(found.etag, known) && !end.aborted) {
        due.set(found.dueMs);
        await changes.next();
        found = await look();
      }
      if (!(await request.isStillAdmitted())) throw invalidToken();
      return found;
    } finally {
      this.openWaits -= 1;
      due.set(null);
      limit.clear();
      release();
      changes.stop();
    }
  }
}

/** Whether the caller already has this state. */
export function isKnown(etag: string, known: readonly string[] | null): boolean {
  return known !== null && known.some((candidate) => candidate === etag || candidate === '*');
}
