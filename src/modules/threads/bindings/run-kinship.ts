import { Reporter } from './reporter.js';
import type { OwnedRun } from './run-matching.js';

/** The columns that place a run among its callers. */
export interface KindredRun extends OwnedRun {
  trace_id: string;
  parent_trace_id: string | null;
  parent_by: string | null;
}

/** Longer chains of callers are cut off, because anybody may name a parent for any number of runs. */
export const MAX_LINKS = 64;

/**
 * Which run of a thread called which, and who sees it. Anybody can name a parent, but not every claim counts.
 * The result depends only on the runs, not on earlier calls.
 */
export class RunKinship<R extends KindredRun> {
  /** By the number of links left to follow, then by run. */
  private readonly parents: Map<number, R | null>[] = [];

  /** @param runsOf the thread's runs with a trace, oldest first */
  constructor(private readonly runsOf: (traceId: string) => readonly R[] | Promise<readonly R[]>) {}

  /** The run that called this one. Null if unknown, or if the token that named it does not see it: such a parent was guessed. */
  parentOf(run: R): Promise<R | null> | R | null {
    return this.parentWithin(MAX_LINKS, run);
  }

  /** The runs above this one, the nearest first. A circle ends the chain. */
  async callersOf(run: R): Promise<R[]> {
    const callers = new Map<number, R>([[run.run_no, run]]);
    let at = await this.parentOf(run);
    for (; at && !callers.has(at.run_no) && callers.size <= MAX_LINKS; at = await this.parentOf(at)) {
      callers.set(at.run_no, at);
    }
    return [...callers.values()].slice(1);
  }

  /** Whether the run belongs to one of the reporter's agents, or is below such a run. */
  isVisible(run: R, reporter: Reporter): Promise<boolean> {
    return this.isVisibleWithin(MAX_LINKS, run, reporter);
  }

  /** Each step up leaves fewer links, so that circles end. */
  private async isVisibleWithin(links: number, run: R, reporter: Reporter): Promise<boolean> {
    let at: R | null = run;
    for (let left = links; at; left -= 1) {
      if (reporter.maySpeakFor(at.agent_id)) return true;
      at = await this.parentWithin(left, at);
    }
    return false;
  }

  private parentWithin(links: number, run: R): Promise<R | null> | R | null {
    const { parent_trace_id: traceId } = run;
    if (links === 0 || traceId === null || traceId === run.trace_id) return null;
    const parents = (this.parents[links] ??= new Map<number, R | null>());
    const known = parents.get(run.run_no);
    return known === undefined ? this.findParent(links, run, traceId, parents) : known;
  }

  private async findParent(links: number, run: R, traceId: string, parents: Map<number, R | null>): Promise<R | null> {
    const others = (await this.runsOf(traceId)).filter(({ run_no }) => run_no !== run.run_no);
    const parent =
      run.parent_by === null ? parentForAll(run, others) : await this.firstSeen(links, others, run.parent_by);
    parents.set(run.run_no, parent);
    return parent;
  }

  private async firstSeen(links: number, runs: readonly R[], namedBy: string): Promise<R | null> {
    const namer = Reporter.of(namedBy);
    for (const run of runs) if (await this.isVisibleWithin(links - 1, run, namer)) return run;
    return null;
  }
}

/**
 * The parent that an unbound token means: an unbound token's run, otherwise a bound token's if it is the only earlier one: nobody becomes a
 * parent by taking a trace that others have named.
 */
function parentForAll<R extends KindredRun>(run: R, others: readonly R[]): R | null {
  const own = others.find(({ began_by }) => began_by === null);
  if (own) return own;
  const earlier = others.filter(({ run_no }) => run_no < run.run_no);
  return earlier.length === 1 ? earlier[0]! : null;
}
