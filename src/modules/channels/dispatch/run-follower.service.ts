import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DispatchConfig } from '../../../config/dispatch.config.js';
import { ThreadTurnsService, type Turn, type TurnState } from '../../threads/turns/thread-turns.service.js';
import type { OpenChannel } from '../channel-accounts.service.js';
import type { ChannelMessage } from '../entities/channel-message.entity.js';
import { BUDGET_USED_UP, CONVERSATION_DELETED, NO_PROGRESS, NOTHING_SAID, RUN_FAILED } from './notices.js';
import type { SessionLane } from './session-lanes.js';
import { SessionOutcomesService } from './session-outcomes.service.js';
import { TypingService } from './typing.service.js';

/** Changes of the thread wake its session; this is for the run of which nothing is ever heard. */
export const LOOK_MS = 30_000;

/** Waits for the run that a message started, and sends its answer. */
@Injectable()
export class RunFollowerService {
  constructor(
    private readonly turns: ThreadTurnsService,
    private readonly outcomes: SessionOutcomesService,
    private readonly typing: TypingService,
    private readonly config: DispatchConfig,
    private readonly clock: Clock,
  ) {}

  /** @returns when to look at the session next */
  async follow(lane: SessionLane, message: ChannelMessage, open: OpenChannel): Promise<number | null> {
    const turn = turnOf(message);
    if (turn === null) {
      const reason = 'the thread was deleted while the run was at work';
      return this.outcomes.end(lane, message, open, { status: 'failed', reason, reply: CONVERSATION_DELETED });
    }
    const state = await this.turns.findState(turn);
    if (state?.ending) return this.finish(lane, message, open, turn, state.ending);
    if (this.isOverdue(message, state)) {
      const reason = `the run made no progress for ${this.config.runLimitSeconds} s`;
      return this.outcomes.end(lane, message, open, { status: 'failed', reason, reply: NO_PROGRESS });
    }
    this.typing.show(open, message, turn);
    return this.outcomes.wait(lane, LOOK_MS);
  }

  private async finish(
    lane: SessionLane,
    message: ChannelMessage,
    open: OpenChannel,
    turn: Turn,
    ending: string,
  ): Promise<number | null> {
    this.typing.hide(message);
    const isDone = ending === 'completed' || ending === 'idle';
    const reply = isDone ? ((await this.turns.findLastSaid(turn, message.text)) ?? NOTHING_SAID) : apologyFor(ending);
    return this.outcomes.end(lane, message, open, {
      status: 'done',
      reason: isDone ? null : `the run ended with ${ending}`,
      reply,
    });
  }

  private isOverdue(message: ChannelMessage, state: TurnState | null): boolean {
    if (state?.isWaiting) return false;
    const lastMs = Math.max(state?.changedAtMs ?? 0, Number(message.updated_at));
    return this.clock.nowMs() - lastMs >= this.config.runLimitSeconds * 1000;
  }
}

/** Null where the run is gone. */
export function turnOf({ thread_id, run_id, since_seq, since_message }: ChannelMessage): Turn | null {
  if (thread_id === null || run_id === null) return null;
  return { threadId: thread_id, traceId: run_id, sinceSeq: since_seq ?? 0, sinceMessage: since_message ?? 0 };
}

function apologyFor(ending: string): string {
  return ending === 'budget_exceeded' ? BUDGET_USED_UP : RUN_FAILED;
}
