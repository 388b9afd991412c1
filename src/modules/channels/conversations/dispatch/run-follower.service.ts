import { Injectable } from '@nestjs/common';
import { RUN_STATUS } from '../../../../common/contract/run-status.js';
import {
  ThreadTurnsService,
  type Turn,
  type TurnFile,
  type TurnState,
} from '../../../threads/turns/thread-turns.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import {
  BUDGET_USED_UP,
  CONVERSATION_DELETED,
  NO_PROGRESS,
  NOTHING_SAID,
  RUN_CANCELLED,
  RUN_FAILED,
} from './notices.js';
import { RunProgressTimeout } from './run-progress-timeout.js';
import type { MessageEnding } from './dispatch.repository.js';
import { runOf, type SessionTurn } from './session-turn.js';
import { TypingService } from './typing.service.js';

/** Changes to the thread wake its session; this is for a run that never reports. */
const LOOK_MS = 30_000;

/** Waits for the run that a message started, and sends its answer with its files. */
@Injectable()
export class RunFollowerService {
  constructor(
    private readonly turns: ThreadTurnsService,
    private readonly typing: TypingService,
    private readonly progressTimeout: RunProgressTimeout,
  ) {}

  /**
   * Shows that a run has started. A run that an earlier try started may already have ended, and reports nothing more.
   * @returns milliseconds until the next look at it, unless it reports earlier
   */
  async begin({ message, open }: SessionTurn, runId: string): Promise<number> {
    const run = runOf({ ...message, run_id: runId });
    if (run === null || (await this.hasEnded(message, runId))) return 0;
    this.typing.show(open, message, run);
    return Math.min(LOOK_MS, this.progressTimeout.limitSeconds * 1000);
  }

  /** Whether the run has ended in its message's turn. */
  async hasEnded(message: ChannelMessage, runId: string): Promise<boolean> {
    const run = runOf({ ...message, run_id: runId });
    const state = run && (await this.turns.findState(run));
    return !!state?.ending;
  }

  /**
   * @param isAsked the chat was asked about what the run waits for: the run may take as long as people do
   * @returns when to look at the session next
   */
  async follow(turn: SessionTurn, isAsked: boolean): Promise<number | null> {
    const { message, open } = turn;
    const run = runOf(message);
    if (run === null) {
      const reason = 'the thread was deleted while the run was at work';
      return this.end(turn, { status: 'failed', reason, reply: CONVERSATION_DELETED });
    }
    const state = await this.turns.findState(run);
    if (state?.ending) return this.finish(turn, run, state.ending);
    const leftMs = state?.isWaiting && isAsked ? LOOK_MS : this.leftMs(message, state);
    if (leftMs <= 0) {
      const reason = `the run made no progress for ${this.progressTimeout.limitSeconds} s`;
      return this.end(turn, { status: 'failed', reason, reply: NO_PROGRESS });
    }
    this.typing.show(open, message, run);
    return turn.wait(Math.min(LOOK_MS, leftMs));
  }

  private async finish(turn: SessionTurn, run: Turn, ending: string): Promise<number | null> {
    const isDone = ending === RUN_STATUS.completed || ending === RUN_STATUS.idle;
    const files = isDone ? await this.turns.findFiles(run) : [];
    const said = isDone ? await this.turns.findLastSaid(run, turn.message.text) : apologyFor(ending);
    // Deleted since: the next look handles that.
    if (said === null && (await this.turns.findState(run)) === null) return turn.wait(0);
    const reason = isDone ? null : `the run ended with ${ending}`;
    const reply = said ?? (files.length > 0 ? null : NOTHING_SAID);
    return this.end(turn, { status: 'done', reason, reply }, files);
  }

  private end(turn: SessionTurn, ending: MessageEnding, files: readonly TurnFile[] = []): Promise<number | null> {
    this.typing.hide(turn.message);
    return turn.end(ending, files);
  }

  private leftMs(message: ChannelMessage, state: TurnState | null): number {
    return this.progressTimeout.leftMs(Math.max(state?.changedAtMs ?? 0, Number(message.updated_at)));
  }
}

function apologyFor(ending: string): string {
  if (ending === RUN_STATUS.cancelled) return RUN_CANCELLED;
  return ending === RUN_STATUS.budgetExceeded ? BUDGET_USED_UP : RUN_FAILED;
}
