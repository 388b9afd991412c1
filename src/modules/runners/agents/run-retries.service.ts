import { Injectable } from '@nestjs/common';
import { isAtRest } from '../../../common/contract/run-status.js';
import { newId } from '../../../common/ids.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { LatestCheckpointService } from '../../threads/checkpoints/latest-checkpoint.service.js';
import { ThreadTurnsService } from '../../threads/turns/thread-turns.service.js';
import { AgentCallsService } from './agent-calls.service.js';
import type { StartedRun } from './agent-starts.service.js';
import { chatBusy, notInvoked, nothingToRetry, runNotEnded, startedAnother } from './agents.errors.js';
import { AgentsService } from './agents.service.js';

/** Somebody who waits for the answer of a run that is retried. */
export interface WaitingAgain {
  /** The agent did not take the run: what was before holds again. */
  undo(): Promise<void>;
}

/** Waits for the answers of runs, for those who asked. */
export interface RetryWaiter {
  /** To be called before the run can go on. @returns null where nobody asked, `busy` while who asked waits for another run */
  waitAgain(threadId: string, traceId: string): Promise<WaitingAgain | 'busy' | null>;
}

/** Has agents take up runs again that have ended. */
@Injectable()
export class RunRetriesService {
  private waiter: RetryWaiter | null = null;
  /** The last retry of each run that is being retried, by the run: the next waits for it, to see what it has led to. */
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(
    private readonly checkpoints: LatestCheckpointService,
    private readonly turns: ThreadTurnsService,
    private readonly agents: AgentsService,
    private readonly calls: AgentCallsService,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /** To be called once, by the feature that starts runs for people. */
  setWaiter(waiter: RetryWaiter): void {
    this.waiter = waiter;
  }

  /**
   * Answers once the agent has taken the run on again. It starts from its latest checkpoint. Of several requests at once the agent takes one.
   * @throws DomainError `not_found`; `conflict` for a run that has not ended, of which no message is known, or whose chat is busy; as
   * `AgentsService.getOnlineAddress`, and where the agent does not take it: see `notInvoked`
   */
  async retry(threadId: string, traceId: string): Promise<StartedRun> {
    const key = JSON.stringify([threadId, traceId]);
    const before = this.last.get(key);
    const retrying = Promise.allSettled([before]).then(() => this.retryAlone(threadId, traceId));
    this.last.set(key, retrying);
    try {
      return await retrying;
    } finally {
      if (this.last.get(key) === retrying) this.last.delete(key);
    }
  }

  private async retryAlone(threadId: string, traceId: string): Promise<StartedRun> {
    const { status, agent_id: agentId } = await this.headOf(threadId, traceId);
    if (!isAtRest(status)) throw runNotEnded(status);
    const message = await this.turns.findLastAsked(threadId, traceId);
    if (message === null) throw nothingToRetry();
    const address = await this.agents.getOnlineAddress(agentId);
    const body = JSON.stringify({ message, thread_id: threadId, run_id: traceId, retry_of: traceId });
    const waiting = (await this.waiter?.waitAgain(threadId, traceId)) ?? null;
    if (waiting === 'busy') throw chatBusy();
    try {
      const answer = await this.calls.invoke(address, { idempotencyKey: newId(), body }, this.shutdown.signal);
      if (answer.kind !== 'started') throw notInvoked(agentId, answer);
      if (answer.runId !== traceId) throw startedAnother(agentId, answer.runId);
    } catch (error) {
      await waiting?.undo();
      throw error;
    }
    return { runId: traceId, threadId };
  }

  private async headOf(threadId: string, traceId: string): Promise<{ status: string; agent_id: string }> {
    const latest = await this.checkpoints.get(threadId, { traceId, agentId: null }, 'none', null);
    return JSON.parse(Buffer.concat([...(await latest.bodyWithoutLists())]).toString('utf8')) as {
      status: string;
      agent_id: string;
    };
  }
}
