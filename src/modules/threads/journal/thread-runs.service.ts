import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { Reporter } from '../bindings/reporter.js';
import { ServerThreadsService } from '../bindings/server-threads.service.js';
import { runMeant, UNKNOWN_AGENT } from '../bindings/run-meant.js';
import { threadNotFound } from '../threads.contract.js';
import type { UnitOfWork } from './unit-of-work.js';

/** Which run is meant, and by whom. */
export interface RunAddress {
  threadId: string;
  traceId: string;
  /** Null where it was not said: then the run's. */
  agentId: string | null;
  /** The agents that the caller may speak for; null for all. */
  allowedAgents: readonly string[] | null;
  /** Whether the caller may begin runs in the thread. */
  mayBegin: boolean;
}

/** A run under the thread's lock. */
export interface LockedRun {
  threadPk: number;
  traceId: string;
  /** Null for a run that nobody has reported yet. */
  runNo: number | null;
  /** The agent that speaks. */
  agentId: string;
}

/** A change of what another module keeps of a run. */
export interface RunChange {
  /** What happened, for the event log. */
  type: string;
  /** JSON for the live streams. */
  data: string;
  /** Null for a run that nobody has reported yet. */
  runNo: number | null;
}

/** Runs as modules see them that keep something beside the journal, in its transactions. */
@Injectable()
export class ThreadRunsService {
  constructor(private readonly serverThreads: ServerThreadsService) {}

  /** @param allowedAgents the agents that the caller may speak for; null for all */
  async mayBegin(threadId: string, allowedAgents: readonly string[] | null): Promise<boolean> {
    const reporter = new Reporter(allowedAgents);
    return !reporter.isBound || !(await this.serverThreads.closedTo(reporter, [threadId])).has(threadId);
  }

  /**
   * The run that is meant. One that nobody has reported yet is as good; `tell` makes its thread known.
   * @throws DomainError `forbidden` when the caller may not speak for the agent, or begin runs in the thread
   */
  async find(drafts: UnitOfWork, address: RunAddress): Promise<LockedRun> {
    const { threadId, traceId, agentId, allowedAgents } = address;
    const reporter = new Reporter(allowedAgents);
    if (agentId !== null) assertAllowed(reporter, agentId);
    const draft = drafts.findOrCreate(threadId);
    const stored = drafts.storedRowsOf(draft);
    const runs = await stored.find(() => stored.runsOf(traceId));
    const rows = runs.map(({ row }) => row);
    const run = runMeant(rows, { kind: 'note', agentId }, reporter);
    const onlyAgent = allowedAgents?.length === 1 ? allowedAgents[0] : undefined;
    const speaker = agentId ?? run?.agent_id ?? onlyAgent ?? UNKNOWN_AGENT;
    assertAllowed(reporter, speaker);
    if (!run && !address.mayBegin) {
      throw new DomainError('forbidden', 'agent_not_allowed', 'The token may not start runs in this thread.');
    }
    return { threadPk: draft.pk, traceId, runNo: run?.run_no ?? null, agentId: speaker };
  }

  /** The number of the thread; null where there is none. It is locked. */
  pkOf(drafts: UnitOfWork, threadId: string): number | null {
    return drafts.find(threadId)?.pk ?? null;
  }

  /** Adds a change to the thread's event log and live streams; it is no news of the run. Answers the thread's number of the change. */
  tell(drafts: UnitOfWork, threadId: string, { type, data, runNo }: RunChange): number {
    const draft = drafts.find(threadId);
    if (!draft) throw threadNotFound();
    draft.makeKnown();
    draft.addEvent({ kind: 'effect', type, data, run_no: runNo, step_index: null }, false);
    return draft.row.last_seq;
  }
}

function assertAllowed(reporter: Reporter, agentId: string): void {
  if (reporter.maySpeakFor(agentId)) return;
  throw new DomainError('forbidden', 'agent_not_allowed', `The token may not report for the agent ${agentId}.`);
}
