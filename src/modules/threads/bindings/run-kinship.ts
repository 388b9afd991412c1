import { Reporter } from './reporter.js';
import type { OwnedRun } from './run-meant.js';

/** What tells where a run stands among those that called each other. */
export interface KindredRun extends OwnedRun {
  trace_id: string;
  parent_trace_id: string | null;
  parent_by: string | null;
}

/** Which run of a thread called which, and who sees it: everybody can name a parent, but not everybody's word counts. */
export class RunKinship<R extends KindredRun> {
  /** By run; null also while it is being looked for, so that circles end. */
  private readonly parents = new Map<number, R | null>();

  /** @param runsOf the runs of the thread with a trace, in the order in which they were first seen */
  constructor(private readonly runsOf: (traceId: string) => readonly R[] | Promise<readonly R[]>) {}

  /** The run that called this one; null where it is not known, or named by a token that does not see it: such a parent was guessed. */
  async parentOf(run: R): Promise<R | null> {
    const known = this.parents.get(run.run_no);
    if (known !== undefined) return known;
    this.parents.set(run.run_no, null);
    const { parent_trace_id: traceId } = run;
    const namesNone = traceId === null || traceId === run.trace_id;
    const parent = namesNone ? null : await this.findParent(run, traceId);
    this.parents.set(run.run_no, parent);
    return parent;
  }

  /** Whether the run is one of the reporter's agents, or below one. */
  async isVisible(run: R, reporter: Reporter): Promise<boolean> {
    const met = new Set<number>();
    for (let at: R | null = run; at && !met.has(at.run_no); at = await this.parentOf(at)) {
      if (reporter.maySpeakFor(at.agent_id)) return true;
      met.add(at.run_no);
    }
    return false;
  }

  private async findParent(run: R, traceId: string): Promise<R | null> {
    const others = (await this.runsOf(traceId)).filter(({ run_no }) => run_no !== run.run_no);
    if (run.parent_by === null) return parentForAll(run, others);
    const namer = Reporter.of(run.parent_by);
    for (const other of others) if (await this.isVisible(other, namer)) return other;
    return null;
  }
}

/**
 * The parent that a token means which may speak for all: its own run. A bound token's run is meant where it is the only one that was there
 * before: nobody becomes a parent by taking a trace that others have named.
 */
function parentForAll<R extends KindredRun>(run: R, others: readonly R[]): R | null {
  const own = others.find(({ began_by }) => began_by === null);
  if (own) return own;
  const earlier = others.filter(({ run_no }) => run_no < run.run_no);
  return earlier.length === 1 ? earlier[0]! : null;
}
