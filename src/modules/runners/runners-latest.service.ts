import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { DueTimer } from '../../common/due-timer.js';
import { joinAborts } from '../../common/joined-abort.js';
import { ShutdownSignal } from '../../common/shutdown-signal.js';
import { timeLimit } from '../../common/time-limit.js';
import type { LongPoll } from '../../common/long-poll.js';
import { invalidToken } from '../../common/invalid-token.js';
import { ChangeFeed } from '../../database/change-feed.js';
import { ChangeWaiter } from '../../database/change-waiter.js';
import {
  LatestCheckpointService,
  type LatestCheckpoint,
  type ResumeMode,
} from '../threads/checkpoints/latest-checkpoint.service.js';
import { SafeResumeService } from './resume/safe-resume.service.js';
import type { LatestFilter } from '../threads/threads.contract.js';

/** A request for `latest`. */
export interface LatestQuery {
  threadId: string;
  filter: LatestFilter;
  /** `safe` also tells what became of tool calls, and repairs the history for the model. */
  resume: ResumeMode | 'safe';
  /** The agents that the caller may speak for; null for all. */
  allowedAgents: readonly string[] | null;
  /** How long to hold the request for a change; 0 for no wait. */
  waitMs: number;
  /** Whether the lists of the answer stay empty. */
  isWithoutLists: boolean;
  /** ETags of the caller; null if it sent no If-None-Match. */
  knownEtags: readonly string[] | null;
}

/** Null means "unchanged". */
export interface LatestAnswer {
  etag: string;
  body: readonly Buffer[] | null;
}

/** Answers `latest`, and holds requests that wait for a change. */
@Injectable()
export class RunnersLatestService {
  /** Waiting requests. */
  openWaits = 0;

  constructor(
    private readonly checkpoints: LatestCheckpointService,
    private readonly safeResume: SafeResumeService,
    private readonly feed: ChangeFeed,
    private readonly shutdown: ShutdownSignal,
    private readonly clock: Clock,
  ) {}

  /**
   * @param request used only if it waits
   * @throws DomainError `not_found`, also when the thread is deleted during the wait; `unauthenticated` when the token ended then
   */
  async latest(query: LatestQuery, request: LongPoll): Promise<LatestAnswer> {
    let latest = await this.find(query);
    if (query.waitMs > 0) latest = await this.waitForOther(query, latest, request);
    if (isKnown(latest.etag, query.knownEtags)) return { etag: latest.etag, body: null };
    return { etag: latest.etag, body: await (query.isWithoutLists ? latest.bodyWithoutLists() : latest.body()) };
  }

  private find({ threadId, filter, resume, allowedAgents }: LatestQuery): Promise<LatestCheckpoint> {
    if (resume === 'safe') return this.safeResume.get({ threadId, filter, allowedAgents });
    return this.checkpoints.get(threadId, filter, resume, allowedAgents);
  }

  private async waitForOther(
    query: LatestQuery,
    first: LatestCheckpoint,
    request: LongPoll,
  ): Promise<LatestCheckpoint> {
    const known = query.knownEtags ?? [first.etag];
    if (!isKnown(first.etag, known)) return first;
    const limit = timeLimit(query.waitMs);
    const { signal: end, release } = joinAborts(limit.signal, request.gone(), this.shutdown.signal);
    const due = new DueTimer(this.clock);
    const changes = new ChangeWaiter((listener) => {
      due.onDue = listener;
      return this.feed.subscribe(first.threadPk, listener);
    }, end);
    this.openWaits += 1;
    try {
      let latest = await this.find(query);
      while (isKnown(latest.etag, known) && !end.aborted) {
        due.set(latest.dueMs);
        await changes.next();
        latest = await this.find(query);
      }
      if (!(await request.isStillAdmitted())) throw invalidToken();
      return latest;
    } finally {
      this.openWaits -= 1;
      due.set(null);
      limit.clear();
      release();
      changes.stop();
    }
  }
}

function isKnown(etag: string, known: readonly string[] | null): boolean {
  return known !== null && known.some((candidate) => candidate === '*' || candidate.replace(/^W\//, '') === etag);
}
