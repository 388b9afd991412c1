import type { Reporter } from '../../bindings/reporter.js';
import { STANDING } from '../../bindings/standing.js';
import type { ReportedEvent } from '../../threads.contract.js';
import type { ThreadDraft } from '../store/thread-draft.js';
import { currentAgentOf, type RunState } from '../rules/thread-state.js';

export class RunStandings {
  constructor(
    private readonly draft: ThreadDraft,
    private readonly reporter: Reporter,
  ) {}

  /**
   * Call this for each report of an existing run. A run that a bound token began becomes the thread's own once an unbound token reports it;
   * so does one opened aside, once it begins.
   * @param isNews false for the start of a run that was cancelled before it began
   */
  noteReport(run: RunState, { kind }: ReportedEvent, isNews: boolean): void {
    const isContent = kind === 'started' || kind === 'checkpoint';
    const { began_by: beganBy, is_sub_agent: isSubAgent } = run.row;
    if (this.reporter.isBound || isSubAgent || !isContent || (beganBy === null && !isNews)) return;
    this.draft.raiseStanding(run, STANDING.own);
  }

  ofNewRun(isGuest: boolean): number {
    if (this.reporter.isBound) return this.draft.row.run_count === 0 ? STANDING.first : STANDING.guest;
    return isGuest ? STANDING.guest : STANDING.own;
  }

  /** Whether no run that counts for the reporter has made progress yet. */
  isFirstProgress(): boolean {
    const { draft, reporter } = this;
    if (!reporter.isBound) return draft.row.current_run === 0;
    return (currentAgentOf(draft.agents.values(), reporter)?.progress_seq ?? 0) === 0;
  }

  /** Whether another agent has an open run from which this agent would start. A restarted run counts as open at once. */
  isAnotherAgentAtWork(agentId: string): boolean {
    const atWork = new Set<string>();
    for (const { row, mark } of this.draft.runs.values()) if (mark && !row.is_sub_agent) atWork.add(row.agent_id);
    for (const agent of this.draft.agents.values()) if (agent.open_runs > 0) atWork.add(agent.agent_id);
    if (atWork.has(agentId) && this.mayCall(agentId)) return false;
    for (const caller of atWork) if (this.mayCall(caller)) return true;
    return false;
  }

  /** Other agents cannot have called a bound token's agents; an agent that only bound tokens report cannot have called others' agents. */
  private mayCall(agentId: string): boolean {
    if (this.reporter.isBound) return this.reporter.maySpeakFor(agentId);
    return this.draft.agents.get(agentId)?.standing === STANDING.own;
  }
}
