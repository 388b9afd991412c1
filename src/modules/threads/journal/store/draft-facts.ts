import { callsDigestOf } from '../../../../common/digest.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { CallsOpened, SupersededReason, ThreadFact } from '../../threads.contract.js';
import { copyOfRow } from './row-copies.js';
import { pendingCalls, type RunState } from '../rules/thread-state.js';

/** What happened in a draft, in order, for other modules. */
export class DraftFacts {
  readonly all: ThreadFact[] = [];
  private countBefore = 0;

  /** The facts since the last call. */
  ofJob(): readonly ThreadFact[] {
    const facts = this.all.slice(this.countBefore);
    this.countBefore = this.all.length;
    return facts;
  }

  /** The tool calls that the job has opened for a person to decide. */
  openedByJob(): CallsOpened[] {
    return this.all
      .slice(this.countBefore)
      .filter((fact) => fact.fact === 'calls_opened' && fact.supersededBy === null) as CallsOpened[];
  }

  /** The calls of this checkpoint are decided. If this job opened them, nobody is told that they waited. */
  forgetOpened(seq: number): void {
    const isMeant = (fact: ThreadFact) =>
      fact.fact === 'calls_opened' && fact.supersededBy === null && fact.checkpoint.seq === seq;
    const at = this.all.findLastIndex(isMeant);
    if (at >= this.countBefore) this.all.splice(at, 1);
  }

  noteStatus(): void {
    this.all.push({ fact: 'status_changed' });
  }

  noteEnd(run: RunState, seq: number): void {
    this.all.push({ fact: 'run_ended', run: copyOfRow(run.row), checkpoint: run.latest, seq });
  }

  noteBudgetWarning(run: RunState): void {
    this.all.push({ fact: 'budget_warned', run: copyOfRow(run.row), checkpoint: run.latest });
  }

  noteCalls(run: RunState, before: Checkpoint | null, reason: SupersededReason): void {
    const after = pendingCalls(run);
    if (before && after && callsKey(before) === callsKey(after)) return;
    if (before) this.all.push({ fact: 'calls_superseded', ...factOf(run, before), reason });
    if (after) this.all.push({ fact: 'calls_opened', ...factOf(run, after), supersededBy: null });
  }

  /** @param reminded how often people have been reminded of the calls */
  noteReminder(run: RunState, waiting: Checkpoint, reminded: number): void {
    this.all.push({ fact: 'calls_reminded', ...factOf(run, waiting), reminded });
  }

  /** Notes tool calls that arrive when nobody can decide on them any more. */
  noteLateCalls(run: RunState, row: Checkpoint, reason: SupersededReason): void {
    this.all.push({ fact: 'calls_opened', ...factOf(run, row), supersededBy: reason });
  }
}

/** Copies the run, because later jobs of the transaction may change it. */
function factOf(run: RunState, checkpoint: Checkpoint) {
  return { run: copyOfRow(run.row), checkpoint, callsDigest: callsDigestOf(checkpoint.pending_tool_calls ?? '') };
}

/** Tool calls are the same if their run, attempt, step and exact text are. */
function callsKey(row: Checkpoint): string {
  return `${row.run_no}:${row.attempt}:${row.step_index}:${callsDigestOf(row.pending_tool_calls ?? '')}`;
}
