import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { startDigestOf, type StartBody } from '../../../common/contract/start-body.js';
import { newId } from '../../../common/ids.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { AgentCallsService } from './agent-calls.service.js';
import { notInvoked } from './agents.errors.js';
import { AgentsService } from './agents.service.js';

export interface StartedRun {
  runId: string;
  threadId: string;
}

/** The members that the server adds to the caller's request. */
interface Passed {
  threadId: string;
  runId: string;
  /** Digest of the request; null without a key. */
  digest: string | null;
}

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
   * @throws DomainError as `AgentsService.getOnlineAddress`, and `notInvoked` if the agent does not accept it. The agent knows if a key
   * came with other content
   */
  async start(agentId: string, body: StartBody, key: string | null): Promise<StartedRun> {
    const address = await this.agents.getOnlineAddress(agentId);
    const idempotencyKey = key === null ? newId() : digestOf(['key', agentId, key]);
    const threadId = body.threadId ?? (key === null ? newId() : idFrom(digestOf(['thread', agentId, key])));
    const runId = key === null ? newId() : idFrom(digestOf(['run', agentId, key]));
    const digest = key === null ? null : startDigestOf(body);
    const request = { idempotencyKey, body: bodyText(body, { threadId, runId, digest }) };
    const invocation = await this.calls.invoke(address, request, this.shutdown.signal);
    if (invocation.kind !== 'started') throw notInvoked(agentId, invocation);
    return { runId: invocation.runId, threadId: invocation.threadId ?? threadId };
  }
}

/** The context is passed on as text: its numbers may exceed JavaScript's precision. */
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

/** Callers' keys get their own namespace among the agent's keys. */
function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A UUID from a digest: version 8 of RFC 9562. */
function idFrom(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
