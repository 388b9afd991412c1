import { Injectable } from '@nestjs/common';
import type { LongPoll } from '../../common/long-poll.js';
import {
  LatestCheckpointService,
  type LatestCheckpoint,
  type ResumeMode,
} from '../threads/checkpoints/latest-checkpoint.service.js';
import { isKnown, LongPollService, type WaitOptions } from '../../database/long-poll.service.js';
import { SafeResumeService } from './resume/safe-resume.service.js';
import type { LatestFilter } from '../threads/threads.contract.js';

export interface LatestQuery extends WaitOptions {
  threadId: string;
  filter: LatestFilter;
  /** `safe` adds the outcomes of tool calls and a repaired history for the model. */
  resume: ResumeMode | 'safe';
  /** The agents that the caller may speak for; null for all. */
  allowedAgents: readonly string[] | null;
  /** Leaves the lists of the response empty. */
  isWithoutLists: boolean;
}

/** A null body means "unchanged". */
export interface LatestResponse {
  etag: string;
  body: readonly Buffer[] | null;
}

/** Serves `latest`, and holds requests that wait for a change. */
@Injectable()
export class RunnersLatestService {
  constructor(
    private readonly checkpoints: LatestCheckpointService,
    private readonly safeResume: SafeResumeService,
    private readonly longPolls: LongPollService,
  ) {}

  /**
   * @param request used only if it waits
   * @throws DomainError `not_found`, also if the thread is deleted during the wait; `unauthenticated` if the token ends then
   */
  async latest(query: LatestQuery, request: LongPoll): Promise<LatestResponse> {
    const latest = await this.longPolls.waitForChange(() => this.find(query), query, request);
    if (isKnown(latest.etag, query.knownEtags)) return { etag: latest.etag, body: null };
    return { etag: latest.etag, body: await (query.isWithoutLists ? latest.bodyWithoutLists() : latest.body()) };
  }

  private find(query: LatestQuery): Promise<LatestCheckpoint> {
    const { threadId, filter, resume, allowedAgents } = query;
    if (resume === 'safe') return this.safeResume.get({ threadId, filter, allowedAgents });
    const isWhole = !query.isWithoutLists && query.knownEtags === null && query.waitMs === 0;
    return this.checkpoints.get(threadId, filter, resume, allowedAgents, isWhole);
  }
}
