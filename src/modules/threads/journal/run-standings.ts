import type { Reporter } from '../bindings/reporter.js';
import { STANDING } from '../bindings/standing.js';
import type { ReportedEvent } from '../threads.contract.js';
import type { ThreadDraft } from './thread-draft.js';
import { currentAgentOf, type RunState } from './thread-state.js';

/** What a reporter's runs are to the thread, and what those of others are to them. */
export class RunStandings {
  constructor(
    private readonly draft: ThreadDraft,
    private readonly reporter: Reporter,
  ) {}

  /** To be called for what is reported of a run that was there before. A run that a bound token began is at home once others report it. */
  noteReport(run: RunState, { kind }: ReportedEvent): void {
    const { began_by: beganBy, is_sub_agent: isSubAgent } = run.row;
    const isContent = kind === 'started' || kind === 'checkpoint';
    if (this.reporter.isBound || beganBy === null || isSubAgent || !isContent) return;
    this.draft.raiseStanding(run, STANDING.own);
  }

  /**
   * The standing that a new run gives its agent.
   * @param isGuest a sub-agent whose caller is of this thread, or is not named: one that is called from elsewhere is nobody's here
   */
  ofNewRun(isGuest: boolean): number {
    if (this.reporter.isBound) return this.draft.row.run_count === 0 ? STANDING.first : STANDING.guest;
    return isGuest ? STANDING.guest : STANDING.own;
  }

  /** Whether nothing that counts for the reporter has made progress yet. */
  isFirstProgress(): boolean {
    const { draft, reporter } = this;
    if (!reporter.isBound) return draft.row.current_run === 0;
    return (currentAgentOf(draft.agents.values(), reporter)?.progress_seq ?? 0) === 0;
  }

  /** Whether the agent starts within the open run of another: one that is started again counts as open at once. */
  isAnotherAgentAtWork(agentId: string): boolean {
    const atWork = new Set<string>();
    for (const agent of this.draft.agents.values()) if (agent.open_runs > 0) atWork.add(agent.agent_id);
    for (const { row, mark } of this.draft.runs.values()) if (mark && !row.is_sub_agent) atWork.add(row.agent_id);
    const callers = [...atWork].filter((caller) => this.mayCall(caller));
    return callers.length > 0 && !callers.includes(agentId);
  }

  /** Whom a bound token does not speak for has not called its agents; who takes part by such a token only has called nobody else's. */
  private mayCall(agentId: string): boolean {
    if (this.reporter.isBound) return this.reporter.maySpeakFor(agentId);
    return this.draft.agents.get(agentId)?.standing === STANDING.own;
  }
}
