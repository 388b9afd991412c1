import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import { RunRetriesService, type RetryWaiter, type WaitingAgain } from '../../../runners/agents/run-retries.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { DispatchRepository } from './dispatch.repository.js';

/** Reports of the run wake its session; this is for one that never reports. */
const LOOK_MS = 30_000;

/**
 * A message whose run is retried has its turn once more: its chat gets the answer, is asked what waits for a person, and the messages
 * behind it wait.
 */
@Injectable()
export class RetriedRunsService implements RetryWaiter, OnModuleInit {
  constructor(
    private readonly retries: RunRetriesService,
    private readonly repository: DispatchRepository,
    private readonly group: GroupCommit,
    private readonly work: WakeSignal,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.retries.setWaiter(this);
  }

  /** The lane of the session is taken from whoever may be closing the turn just now: it is not over. */
  waitAgain(threadId: string, traceId: string): Promise<WaitingAgain | 'busy' | null> {
    return this.group.run(async (session) => {
      if (!(await this.repository.lockSession(session, threadId))) return null;
      const message = await this.repository.findMessageOf(session, threadId, traceId);
      if (message === null) return null;
      if (await this.repository.isAtWork(session, threadId, message)) return 'busy';
      const nowMs = this.clock.nowMs();
      // Answers are told apart by their turn.
      const turnAtMs = Math.max(nowMs, Number(message.turn_at) + 1);
      await this.repository.takeTurnAgain(session, message, turnAtMs, nowMs);
      await this.repository.takeFromHolder(session, threadId, nowMs + LOOK_MS);
      return { undo: () => this.undo(message, turnAtMs) };
    });
  }

  /** @param message as it was before */
  private async undo(message: ChannelMessage, turnAtMs: number): Promise<void> {
    const threadId = message.thread_id!;
    await this.group.run(async (session) => {
      if (!(await this.repository.lockSession(session, threadId))) return;
      if (!(await this.repository.leaveTurn(session, message, turnAtMs))) return;
      await this.repository.takeFromHolder(session, threadId, this.clock.nowMs());
    });
    this.work.notify();
  }
}
