import { DomainError } from '../../../../common/domain-error.js';
import { ATTACHMENT } from '../../../../common/contract/event-types.js';
import type { Reporter } from '../../bindings/reporter.js';
import { UNKNOWN_AGENT } from '../../bindings/run-matching.js';
import type { KindredRun } from '../../bindings/run-kinship.js';
import { isStale, type NamedFence } from '../../leases/fence-rule.js';
import { leaseOf, leaseOfAnyFutureRun, leaseOfFutureRun } from '../../leases/lease-lookup.js';
import type { RunLease } from '../../leases/run-lease.entity.js';
import type { ReportedEvent } from '../../threads.contract.js';
import type { ThreadDraft } from '../store/thread-draft.js';
import type { Readable, ThreadReader } from '../store/thread-reader.js';
import type { RunState } from '../rules/thread-state.js';

/** What a report or claim says about its run. */
export interface RunReference {
  /** Null for the current run. */
  traceId: string | null;
  agentId: string | null;
  parentTraceId: string | null;
}

export class RunFences {
  constructor(
    private readonly draft: ThreadDraft,
    private readonly reader: ThreadReader,
    private readonly reporter: Reporter,
  ) {}

  isStale(run: RunState | null, words: RunReference, fence: NamedFence): Readable<boolean> {
    // Most threads have no leases.
    if (this.draft.row.last_fence === 0 && fence.fence === null) return false;
    return this.leasesFor(run, words).then((leases) => isStale(fence, leases.map(factsOf)));
  }

  /**
   * Whether nothing of an event may be stored. Notes change no run, so those without a fence always count, except files, which are sent to
   * people.
   * @param implied the fence of the reporter's token, for events that name none
   */
  isStaleReport(run: RunState | null, event: ReportedEvent, implied: number | null): Readable<boolean> {
    if (event.kind === 'note' && event.fence === null && event.type !== ATTACHMENT) return false;
    const { agent_id: agentId, parent_trace_id: parentTraceId } = event.fields;
    const fence = { fence: event.fence ?? implied, isImplied: event.fence === null };
    return this.isStale(run, { traceId: event.traceId, agentId, parentTraceId }, fence);
  }

  /** The leases of a run and of its callers, the nearest first. Those above a held lease do not count. */
  async leasesFor(run: RunState | null, words: RunReference): Promise<readonly RunLease[]> {
    if (this.draft.row.last_fence === 0) return [];
    const own = run
      ? leaseOf(await this.reader.leasesOf(run.row.trace_id), run.row)
      : await this.leaseOfFutureRun(words);
    if (own && own.released_at === null) return [own];
    const kin = run?.row ?? this.futureRun(words);
    const above = kin.parent_trace_id === null ? [] : await this.reader.leasesAbove(kin);
    return own ? [own, ...above] : above;
  }

  /** The lease that a future run will take over; null for none. */
  async leaseOfFutureRun({ traceId, agentId }: Pick<RunReference, 'traceId' | 'agentId'>): Promise<RunLease | null> {
    if (traceId === null || this.draft.row.last_fence === 0) return null;
    // Reload: the run takes over the lease with other servers' renewals.
    const leases = await this.reader.leasesOf(traceId, true);
    return leaseOfFutureRun(leases, agentId, this.reporter) ?? leaseOfAnyFutureRun(leases);
  }

  attach(lease: RunLease, run: RunState): void {
    const { agent_id: agentId, began_by: beganBy, run_no: runNo } = run.row;
    this.draft.leases.put({ ...lease, run_no: runNo, agent_id: agentId, began_by: beganBy });
  }

  private futureRun({ traceId, agentId, parentTraceId }: RunReference): KindredRun {
    const { binding } = this.reporter;
    return {
      run_no: this.draft.row.run_count + 1,
      trace_id: traceId ?? '',
      agent_id: agentId ?? UNKNOWN_AGENT,
      parent_trace_id: parentTraceId,
      began_by: binding,
      parent_by: binding,
    };
  }
}

export function staleFence(): DomainError {
  return new DomainError(
    'conflict',
    'stale_fence',
    'The run is leased, or was, and this is not its current fence: another process may drive it.',
  );
}

function factsOf({ fence, released_at }: RunLease) {
  return { fence, isReleased: released_at !== null };
}
