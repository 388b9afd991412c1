import { Injectable } from '@nestjs/common';
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
import type { LatestFilter } from '../threads/threads.contract.js';

/** A request for `latest`. */
export interface LatestQuery {
  threadId: string;
  filter: LatestFilter;
  resume: ResumeMode;
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
    private readonly feed: ChangeFeed,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * @param request used only if it waits
   * @throws DomainError `not_found`, also when the thread is deleted during the wait; `unauthenticated` when the token ended then
   */
  async latest(query: LatestQuery, request: LongPoll): Promise<LatestAnswer> {
    let latest = await this.find(query);
    if (query.waitMs > 0) latest = await this.waitForOther(query, latest, request);
    if (isKnown(latest.etag, query.knownEtags)) return { etag: latest.etag, body: null };
    return { etag: latest.etag, body: query.isWithoutLists ? latest.bodyWithoutLists() : await latest.body() };
  }

  private find({ threadId, filter, resume, allowedAgents }: LatestQuery): Promise<LatestCheckpoint> {
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
    const changes = new ChangeWaiter((listener) => this.feed.subscribe(first.threadPk, listener), end);
    this.openWaits += 1;
    try {
      let latest = await this.find(query);
      while (isKnown(latest.etag, known) && !end.aborted) {
        await changes.next();
        latest = await this.find(query);
      }
      if (!(await request.isStillAdmitted())) throw invalidToken();
      return latest;
    } finally {
      this.openWaits -= 1;
      limit.clear();
      release();
      changes.stop();
    }
  }
}

function isKnown(etag: string, known: readonly string[] | null): boolean {
  return known !== null && known.some((candidate) => candidate === '*' || candidate.replace(/^W\//, '') === etag);
}
