import { DomainError } from '../../../../common/domain-error.js';
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

/** What a report or claim says of the run that it is for. */
export interface RunReference {
  /** Null for the run that is meant anyway. */
  traceId: string | null;
  agentId: string | null;
  parentTraceId: string | null;
}

/** Tells whether a reporter may drive a run, by the leases of the thread. */
export class RunFences {
  constructor(
    private readonly draft: ThreadDraft,
    private readonly reader: ThreadReader,
    private readonly reporter: Reporter,
  ) {}

  /** @param run null for one that is not there yet */
  isStale(run: RunState | null, words: RunReference, fence: NamedFence): Readable<boolean> {
    // Most threads have no leases, and cost nothing.
    if (this.draft.row.last_fence === 0 && fence.fence === null) return false;
    return this.leasesFor(run, words).then((leases) => isStale(fence, leases.map(factsOf)));
  }

  /**
   * Whether nothing of an event may be stored. Notes change no run: those that name no fence count whoever drives it.
   * @param implied the fence of the reporter's token, for events that name none
   */
  isStaleReport(run: RunState | null, event: ReportedEvent, implied: number | null): Readable<boolean> {
    if (event.kind === 'note' && event.fence === null) return false;
    const { agent_id: agentId, parent_trace_id: parentTraceId } = event.fields;
    const fence = { fence: event.fence ?? implied, isImplied: event.fence === null };
    return this.isStale(run, { traceId: event.traceId, agentId, parentTraceId }, fence);
  }

  /** The leases of a run and of those above it, the nearest first; not those above one that is held, because they do not count. */
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

  /** The lease that is there for a run which begins; null for none. */
  async leaseOfFutureRun({ traceId, agentId }: Pick<RunReference, 'traceId' | 'agentId'>): Promise<RunLease | null> {
    if (traceId === null || this.draft.row.last_fence === 0) return null;
    // What other servers have renewed since is kept when the lease becomes the run's.
    const leases = await this.reader.leasesOf(traceId, true);
    return leaseOfFutureRun(leases, agentId, this.reporter) ?? leaseOfAnyFutureRun(leases);
  }

  /** The run has begun that the lease is there for: from now on it is the run's. */
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
