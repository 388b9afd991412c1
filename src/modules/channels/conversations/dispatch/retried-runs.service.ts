import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import {
  RunRetriesService,
  type IsRunOf,
  type RetryWaiter,
  type RetryWait,
} from '../../../runners/agents/run-retries.service.js';
import {
  RunCancellationService,
  type NotedRetries,
  type NotedRetry,
} from '../../../threads/journal/run-cancellation.service.js';
import { retryKeyOf, type ChannelMessage } from '../../messages/channel-message.entity.js';
import { DispatchRepository } from './dispatch.repository.js';

/** Agents respond at once. If no response is stored by then, the session asks again, with the same key. */
const ASKING_MS = 3_000;

/**
 * A message whose run is retried gets its turn again: its chat gets the answer and the questions about approvals, and later messages wait.
 * The retry is stored before the agent is asked, so that another server can continue after a crash.
 */
@Injectable()
export class RetriedRunsService implements RetryWaiter, NotedRetries, OnModuleInit {
  constructor(
    private readonly retries: RunRetriesService,
    private readonly cancellation: RunCancellationService,
    private readonly repository: DispatchRepository,
    private readonly group: GroupCommit,
    private readonly work: WakeSignal,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.retries.setWaiter(this);
    this.cancellation.setRetries(this);
  }

  async find(threadId: string, traceId: string): Promise<NotedRetry | null> {
    const turn = await this.repository.findNotedRetry(threadId, traceId);
    return turn && { sinceSeq: Number(turn.since_seq), agentId: turn.agent_name };
  }

  /** Takes the session's lane from a holder that may be closing the turn: it is not over. */
  waitAgain(threadId: string, traceId: string, isOf: IsRunOf): Promise<RetryWait | 'busy' | null> {
    return this.group.run(async (session) => {
      if (!(await this.repository.lockSession(session, threadId))) return null;
      const message = await this.repository.findMessageOf(session, threadId, traceId);
      if (message === null || !(await isOf(message.agent_name))) return null;
      if (await this.repository.isAtWork(session, threadId, message)) return 'busy';
      // An older server closes turns without resetting `retry_asked_at`.
      const isNoted = message.status === 'started' && message.retry_asked_at !== null;
      if (isNoted) return this.waitingIn(message, null);
      const nowMs = this.clock.nowMs();
      // The turn's time distinguishes replies.
      const turn_at = Math.max(nowMs, Number(message.turn_at) + 1);
      const since_seq = await this.repository.takeTurnAgain(session, message, turn_at, nowMs);
      await this.repository.takeFromHolder(session, threadId, nowMs + ASKING_MS);
      return this.waitingIn({ ...message, turn_at, since_seq }, message);
    });
  }

  /** @param before the message as it was; null if the retry was stored earlier, so that its session asks for it */
  private waitingIn(message: ChannelMessage, before: ChannelMessage | null): RetryWait {
    return {
      key: retryKeyOf(message),
      sinceSeq: Number(message.since_seq),
      noteTaken: () => this.noteTaken(message),
      undo: () => (before === null ? this.lookNow(message) : this.undo(message, before)),
      askLater: () => this.lookNow(message).then(() => undefined),
    };
  }

  private async noteTaken({ seq, turn_at }: ChannelMessage): Promise<void> {
    await this.group.run((session) => this.repository.noteRetried(session, seq, Number(turn_at), this.clock.nowMs()));
  }

  private async undo({ thread_id, turn_at }: ChannelMessage, before: ChannelMessage): Promise<boolean> {
    const isUndone = await this.group.run(async (session) => {
      if (!(await this.repository.lockSession(session, thread_id!))) return true;
      if (!(await this.repository.leaveTurn(session, before, Number(turn_at)))) return false;
      await this.repository.takeFromHolder(session, thread_id!, this.clock.nowMs());
      return true;
    });
    this.work.notify();
    return isUndone;
  }

  private async lookNow({ thread_id }: ChannelMessage): Promise<boolean> {
    await this.group.run((session) => this.repository.lookAt(session, thread_id!, this.clock.nowMs()));
    this.work.notify();
    return true;
  }
}
