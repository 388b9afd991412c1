import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { startDigestOf, type StartBody } from '../../../common/contract/start-body.js';
import { newId } from '../../../common/ids.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { AgentCallsService } from './agent-calls.service.js';
import { notInvoked } from './agents.errors.js';
import { AgentsService } from './agents.service.js';

/** A run that an agent has taken on. */
export interface StartedRun {
  /** The run's trace id. */
  runId: string;
  threadId: string;
}

/** The members that the server adds to the caller's request. */
interface Passed {
  threadId: string;
  runId: string;
  /** Of that request; null if it has no key. */
  digest: string | null;
}

/** Starts runs of agents for callers of the API. */
@Injectable()
export class AgentStartsService {
  constructor(
    private readonly agents: AgentsService,
    private readonly calls: AgentCallsService,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * Resolves once the agent has accepted the run.
   * @param key the same for each try; null for a request that is never repeated
   * @throws DomainError as `AgentsService.getOnlineAddress`, and where the agent does not take it: see `notInvoked`. The agent knows
   *   whether a key came with other content
   */
  async start(agentId: string, body: StartBody, key: string | null): Promise<StartedRun> {
    const address = await this.agents.getOnlineAddress(agentId);
    const idempotencyKey = key === null ? newId() : digestOf(['key', agentId, key]);
    const threadId = body.threadId ?? (key === null ? newId() : idFrom(digestOf(['thread', agentId, key])));
    const runId = key === null ? newId() : idFrom(digestOf(['run', agentId, key]));
    const digest = key === null ? null : startDigestOf(body);
    const request = { idempotencyKey, body: bodyText(body, { threadId, runId, digest }) };
    const answer = await this.calls.invoke(address, request, this.shutdown.signal);
    if (answer.kind !== 'started') throw notInvoked(agentId, answer);
    return { runId: answer.runId, threadId: answer.threadId ?? threadId };
  }
}

/** The context continues as it came: numbers in it may be larger than JavaScript counts. */
function bodyText({ message, context }: StartBody, { threadId, runId, digest }: Passed): string {
  const members = [
    `"message":${JSON.stringify(message)}`,
    `"thread_id":${JSON.stringify(threadId)}`,
    `"run_id":${JSON.stringify(runId)}`,
  ];
  if (digest !== null) members.push(`"request_digest":${JSON.stringify(digest)}`);
  if (context !== null) members.push(`"context":${context}`);
  return `{${members.join(',')}}`;
}

/** Keys of callers of the API are their own: no other key of the agent can be the same. */
function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A UUID out of random-looking digits: version 8 of RFC 9562, which leaves their origin open. */
function idFrom(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
