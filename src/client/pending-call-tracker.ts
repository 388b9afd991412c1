import { stringifyExact } from '../common/exact-number.js';
import { callsDigestOf } from '../common/digest.js';
import type { ApprovalOutcome, Checkpoint, RunIds } from './report-data.js';

/** There is no decision on the tool calls and there will be none: they must not run. */
export class NoDecisionError extends Error {
  constructor({ trace_id, step_index }: Checkpoint, why: string) {
    super(`the run ${trace_id} waits for no decision: ${why} (step ${step_index})`);
    this.name = 'NoDecisionError';
  }
}

interface Asked {
  digest: string;
  /** Null if the server counts the steps. */
  step: number | null;
}

interface Reported {
  thread_id?: unknown;
  trace_id?: unknown;
  step_index?: unknown;
  pending_tool_calls?: unknown;
}

const ENDINGS = new Set(['thread_completed', 'thread_error', 'thread_budget_exceeded', 'thread_idle']);

/** The tool calls that this client has reported for waiting runs: decisions on other calls do not count. */
export class PendingCallTracker {
  private readonly byRun = new Map<string, Asked>();
  /** The answered steps of continuing runs. */
  private readonly answered = new Map<string, number>();

  /** Call it for every report. */
  note(type: string, data: Reported): void {
    if (type !== 'checkpoint' && !ENDINGS.has(type)) return;
    const { pending_tool_calls: calls, step_index: step } = data;
    this.byRun.delete(keyOf(data));
    if (ENDINGS.has(type) && type !== 'thread_idle') this.answered.delete(keyOf(data));
    if (type !== 'checkpoint' || !Array.isArray(calls) || calls.length === 0) return;
    const digest = callsDigestOf(stringifyExact(calls));
    this.byRun.set(keyOf(data), { digest, step: typeof step === 'number' ? step : null });
  }

  /** Records that this step's questions were answered: the same questions after it are new ones. */
  noteAnswered(run: Pick<RunIds, 'thread_id' | 'trace_id'>, step: number): void {
    this.answered.set(keyOf(run), step);
  }

  isAnswered(run: Pick<RunIds, 'thread_id' | 'trace_id'>, step: number | undefined): boolean {
    return step !== undefined && this.answered.get(keyOf(run)) === step;
  }

  /**
   * The checkpoint with the decision as its `status`, or null while it is pending. The status in the response may already differ,
   * if the run has ended or was restarted since.
   * @throws NoDecisionError
   */
  decided(run: Pick<RunIds, 'thread_id' | 'trace_id'>, checkpoint: Checkpoint): Checkpoint | null {
    const { approval, pending_tool_calls: calls } = checkpoint;
    if (approval?.status === 'superseded') throw new NoDecisionError(checkpoint, 'its tool calls were left behind');
    // An earlier approval no longer counts.
    if (checkpoint.status === 'cancelled') throw new NoDecisionError(checkpoint, 'a person has cancelled it');
    if (approval === null && calls.length > 0) return null;
    if (approval === null) throw new NoDecisionError(checkpoint, 'its latest checkpoint has no tool calls that wait');
    if (!this.isAsked(this.byRun.get(keyOf(run)), checkpoint.step_index, approval)) {
      throw new NoDecisionError(checkpoint, 'its tool calls did not arrive, the latest decision is on others');
    }
    return { ...checkpoint, status: approval.status === 'approved' ? 'approved' : 'rejected' };
  }

  /** True for calls reported before this process started, which it does not know. */
  private isAsked(asked: Asked | undefined, step: unknown, approval: ApprovalOutcome): boolean {
    if (asked === undefined) return true;
    return asked.digest === approval.digest && (asked.step === null || asked.step === step);
  }
}

function keyOf({ thread_id, trace_id }: Reported): string {
  return JSON.stringify([thread_id, trace_id]);
}
