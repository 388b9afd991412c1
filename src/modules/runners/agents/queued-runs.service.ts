import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import {
  RunCancellationService,
  type QueuedLaunch,
  type RunQueues,
} from '../../threads/journal/run-cancellation.service.js';
import { ServerThreadsService } from '../../threads/bindings/server-threads.service.js';
import type { Heartbeat } from './heartbeat.js';
import type { QueuedRunRow } from './queued-run.entity.js';
import { QueuedRunsRepository, type NamedRun } from './queued-runs.repository.js';

/** How long a process may be away and still learn of cancellations. */
const KEPT_MS = 7 * 24 * 3_600_000;

export interface QueuedRunView {
  threadId: string;
  traceId: string;
  queuedAtMs: number;
}

/** A run that a person cancelled while it was queued in its agent's process. */
export interface CancelledLaunch {
  threadId: string;
  traceId: string;
  /** Null if not given. */
  reason: string | null;
}

/** Knows the runs queued in agent processes from heartbeats: nothing else reports them before they start. */
@Injectable()
export class QueuedRunsService implements RunQueues, OnModuleInit {
  constructor(
    private readonly repository: QueuedRunsRepository,
    private readonly cancellation: RunCancellationService,
    private readonly serverThreads: ServerThreadsService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.cancellation.setQueues(this);
  }

  /**
   * Takes in the queues that a process's heartbeats report; skips heartbeats without one.
   * @param boundTo the agents that the process's token is bound to; null for all
   * @returns the cancelled runs among those listed
   */
  async recordReported(
    heartbeats: readonly Heartbeat[],
    boundTo: readonly string[] | null,
  ): Promise<CancelledLaunch[]> {
    const agentsOf = new Map<string, Map<string, Heartbeat>>();
    for (const beat of heartbeats) {
      if (beat.processId === null) continue;
      const agents = agentsOf.get(beat.processId) ?? new Map<string, Heartbeat>();
      agentsOf.set(beat.processId, agents.set(beat.agentId, beat));
    }
    const named = heartbeats.flatMap(({ queuedRuns }) => queuedRuns.map(({ threadId }) => threadId));
    const closed = await this.serverThreads.closedToToken(boundTo, named);
    const cancelled: QueuedRunRow[] = [];
    for (const [processId, agents] of agentsOf) {
      const rows = [...agents.values()]
        .flatMap((beat) => this.rowsOf(processId, beat, boundTo))
        .filter(({ thread_id }) => !closed.has(thread_id));
      cancelled.push(...(await this.repository.replace(processId, [...agents.keys()].sort(), rows)));
    }
    return cancelled.map(({ thread_id, trace_id, reason }) => ({ threadId: thread_id, traceId: trace_id, reason }));
  }

  /** These agents' queued runs, by agent, oldest first. */
  async ofAgents(agentIds: readonly string[]): Promise<ReadonlyMap<string, QueuedRunView[]>> {
    const views = new Map<string, QueuedRunView[]>(agentIds.map((agentId) => [agentId, []]));
    for (const { agent_id, thread_id, trace_id, queued_at } of await this.repository.ofAgents(agentIds)) {
      views.get(agent_id)?.push({ threadId: thread_id, traceId: trace_id, queuedAtMs: Number(queued_at) });
    }
    return views;
  }

  async find(threadId: string, traceId: string): Promise<QueuedLaunch[]> {
    const rows = await this.repository.find(threadId, traceId);
    return rows.map((row) => ({
      agentId: row.agent_id,
      queuedAtMs: Number(row.queued_at),
      notedAtMs: Number(row.noted_at),
      isRetry: row.kind === 'retry',
      boundTo: row.bound_to === null ? null : (JSON.parse(row.bound_to) as string[]),
      cancelled: (reason) => this.repository.noteCancelled(row, this.clock.nowMs(), reason),
    }));
  }

  /** Processes that never come back leave their runs behind. */
  async forgetOld(): Promise<void> {
    await this.repository.deleteNotedBefore(this.clock.nowMs() - KEPT_MS);
  }

  private rowsOf(processId: string, beat: Heartbeat, boundTo: readonly string[] | null): NamedRun[] {
    const noted_at = this.clock.nowMs();
    const bound_to = boundTo && JSON.stringify(boundTo);
    const rows = beat.queuedRuns.map(({ threadId, traceId, queuedAtMs, kind }) => ({
      ...{ process_id: processId, agent_id: beat.agentId, thread_id: threadId, trace_id: traceId },
      ...{ queued_at: queuedAtMs, noted_at, bound_to, kind },
    }));
    // Each once: a statement cannot store the same row twice.
    return [...new Map(rows.map((row) => [JSON.stringify([row.thread_id, row.trace_id]), row])).values()];
  }
}
