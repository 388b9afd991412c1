import { RUN_AGENTS, type Move, type Report } from '../../factories/approval-scenarios.js';
import type { Verb } from '../approvals.js';

type Calls = 'refund' | 'mail';
type Status = 'pending' | 'approved' | 'rejected' | 'superseded';

interface ModelApproval {
  run: number;
  step: number;
  calls: Calls;
  status: Status;
  verb: Verb | null;
}

interface ModelRun {
  highest: number;
  hasEnded: boolean;
  reports: Set<string>;
}

/** The contract's outcome for tool calls, for runs with one attempt each. */
export class ApprovalModel {
  readonly approvals: ModelApproval[] = [];
  private readonly runs = new Map<number, ModelRun>();

  /** @returns whether to send the report: after the end of a run it would be another attempt */
  report(move: Report): boolean {
    const known = this.runs.get(move.run);
    if (known?.hasEnded || (!known && !this.mayOpen(move))) return false;
    const run = known ?? this.open(move.run);
    if (move.kind === 'end') {
      run.hasEnded = true;
      this.supersede((one) => one.run === move.run);
    } else if (move.kind === 'report') this.step(run, move);
    return true;
  }

  /** @returns the expected HTTP status */
  decide({ run, step, verb, digestOf }: Extract<Move, { kind: 'decide' }>): number {
    const found = this.approvals.filter((one) => one.run === run && one.step === step);
    if (found.length === 0) return 404;
    const meant = digestOf === null ? found : found.filter(({ calls }) => calls === digestOf);
    const [approval] = meant;
    if (!approval || meant.length > 1) return 409;
    if (approval.verb === verb) return 200;
    if (approval.status !== 'pending') return 409;
    approval.verb = verb;
    approval.status = verb === 'approve' ? 'approved' : 'rejected';
    return 200;
  }

  /** A run begins with a step. No agent begins one while another works, unless it names that one as its parent. */
  private mayOpen({ kind, run }: Report): boolean {
    if (kind !== 'report') return false;
    const others = [...this.runs].filter(([other, { hasEnded }]) => !hasEnded && RUN_AGENTS[other] !== RUN_AGENTS[run]);
    return RUN_AGENTS[run] === 'B' || others.length === 0;
  }

  private open(run: number): ModelRun {
    if (RUN_AGENTS[run] === 'A') this.supersede((one) => RUN_AGENTS[one.run] === 'A');
    const opened: ModelRun = { highest: -1, hasEnded: false, reports: new Set() };
    this.runs.set(run, opened);
    return opened;
  }

  private step(run: ModelRun, { run: number, step, calls, variant }: Extract<Move, { kind: 'report' }>): void {
    const text = `${step} ${calls} ${variant}`;
    if (run.reports.has(text)) return;
    run.reports.add(text);
    const known = this.approvals.find((one) => one.run === number && one.step === step && one.calls === calls);
    const isLate = step < run.highest;
    if (!isLate) {
      run.highest = step;
      this.supersede((one) => one.run === number && one !== known);
    }
    if (calls === 'none') return;
    const status = isLate ? 'superseded' : 'pending';
    if (!known) this.approvals.push({ run: number, step, calls, status, verb: null });
    else if (known.status === 'superseded') known.status = status;
  }

  private supersede(isMeant: (approval: ModelApproval) => boolean): void {
    for (const one of this.approvals) if (one.status === 'pending' && isMeant(one)) one.status = 'superseded';
  }
}
