import { Injectable } from '@nestjs/common';
import { readIdempotencyKey, startDigestOf } from '../../../common/contract/start-body.js';
import { Definition, type WebhookTrigger } from '../definition/definition.js';
import { RunLauncher, type LaunchedRun, type RunRequest } from '../run-launcher.js';
import type { AgentRoute } from './agent-routes.service.js';
import { checkSignature } from './caller-proof.js';
import { readInvokeBody, readStartBody } from './start-body.js';
import { routeNotFound, unknownAgent } from './webhooks.errors.js';

/** A request that is to start a run, as far as it has been let in. */
export interface StartRequest {
  route: AgentRoute;
  /** A header of the request; undefined when it is not there. */
  header(name: string): string | undefined;
  body: Buffer;
}

/** Starts runs for webhooks and for the API's dispatcher. */
@Injectable()
export class RunStartsService {
  constructor(
    private readonly definition: Definition,
    private readonly launcher: RunLauncher,
  ) {}

  /**
   * Answers once the run is taken on, durably.
   * @throws DomainError `unauthenticated`, `invalid`, `not_found`, and as `RunLauncher.launch` does
   */
  async start({ route, header, body }: StartRequest): Promise<LaunchedRun> {
    if (route.kind === 'health') throw routeNotFound();
    if (route.kind === 'webhook') checkSender(route.trigger, header, body);
    const agentName = route.kind === 'webhook' ? route.trigger.agentName : route.agentName;
    if (this.definition.findAgent(agentName) === null) throw unknownAgent();
    const idempotencyKey = scopedKey(route, header('idempotency-key'));
    return this.launcher.launch({ ...requestIn(route, body), agentName, idempotencyKey });
  }
}

function requestIn(
  route: Exclude<AgentRoute, { kind: 'health' }>,
  body: Buffer,
): Omit<RunRequest, 'agentName' | 'idempotencyKey'> {
  if (route.kind === 'webhook') {
    const start = readStartBody(body);
    return { ...start, source: 'webhook', requestDigest: startDigestOf(start) };
  }
  const { runId, retryOf, retrySince, requestDigest, ...start } = readInvokeBody(body);
  if (retryOf !== null) return { ...start, source: 'retry', retryOf, retrySince };
  if (runId === null) return { ...start, source: 'invoke', requestDigest: requestDigest ?? startDigestOf(start) };
  // Of a message that has an id, what goes with it may differ from one try to the next, unless its sender says that it may not.
  return { ...start, source: 'invoke', runId, ...(requestDigest === null ? {} : { requestDigest }) };
}

function checkSender({ auth }: WebhookTrigger, header: StartRequest['header'], body: Buffer): void {
  if (auth?.type === 'hmac') checkSignature(auth.header, header(auth.header), auth.secret, body);
}

/** Keys of different callers have nothing to do with each other: each place has its own. */
function scopedKey(route: Exclude<AgentRoute, { kind: 'health' }>, key: string | undefined): string | null {
  const text = readIdempotencyKey(key);
  if (text === null) return null;
  if (route.kind === 'invoke') return JSON.stringify(['invoke', route.agentName, text]);
  const { port, endpoint } = route.trigger;
  return JSON.stringify(['webhook', port, endpoint, text]);
}
