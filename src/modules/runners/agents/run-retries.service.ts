import { Injectable } from '@nestjs/common';
import { isAtRest } from '../../../common/contract/run-status.js';
import { newId } from '../../../common/ids.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { LatestCheckpointService } from '../../threads/checkpoints/latest-checkpoint.service.js';
import { ThreadTurnsService } from '../../threads/turns/thread-turns.service.js';
import { AgentCallsService } from './agent-calls.service.js';
import type { StartedRun } from './agent-starts.service.js';
import { notInvoked, nothingToRetry, runNotEnded, startedAnother } from './agents.errors.js';
import { AgentsService } from './agents.service.js';

/** Has agents take up runs again that have ended. */
@Injectable()
export class RunRetriesService {
  constructor(
    private readonly checkpoints: LatestCheckpointService,
    private readonly turns: ThreadTurnsService,
    private readonly agents: AgentsService,
    private readonly calls: AgentCallsService,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * Answers once the agent has taken the run on again. It starts from its latest checkpoint. Of several requests at once the agent takes one.
   * @throws DomainError `not_found`; `conflict` for a run that has not ended, or of which no message is known; as
   * `AgentsService.getOnlineAddress`, and where the agent does not take it: see `notInvoked`
   */
  async retry(threadId: string, traceId: string): Promise<StartedRun> {
    const { status, agent_id: agentId } = await this.headOf(threadId, traceId);
    if (!isAtRest(status)) throw runNotEnded(status);
    const message = await this.turns.findLastAsked(threadId, traceId);
    if (message === null) throw nothingToRetry();
    const address = await this.agents.getOnlineAddress(agentId);
    const body = JSON.stringify({ message, thread_id: threadId, run_id: traceId, retry_of: traceId });
    const answer = await this.calls.invoke(address, { idempotencyKey: newId(), body }, this.shutdown.signal);
    if (answer.kind !== 'started') throw notInvoked(agentId, answer);
    if (answer.runId !== traceId) throw startedAnother(agentId, answer.runId);
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
