import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { readIdempotencyKey, startDigestOf } from '../../../common/contract/start-body.js';
import { Definition, type WebhookTrigger } from '../definition/definition.js';
import { RunLauncher, type LaunchedRun, type RunRequest } from '../run-launcher.js';
import type { AgentRoute } from './agent-routes.service.js';
import { checkSignature } from './caller-proof.js';
import { readWebhook, type WebhookRefusal, type WebhookStart } from './foreign-body.js';
import { readInvokeBody } from './start-body.js';
import { routeNotFound, unknownAgent } from './webhooks.errors.js';

/** An admitted request that should start a run. */
export interface StartRequest {
  route: AgentRoute;
  /** One value each, names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

type Invocation = Extract<AgentRoute, { kind: 'invoke' }>;

@Injectable()
export class RunStartsService {
  constructor(
    private readonly definition: Definition,
    private readonly launcher: RunLauncher,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves once the run is accepted durably.
   * @throws DomainError `unauthenticated`, `invalid`, `not_found`, and as `RunLauncher.launch`
   */
  async start({ route, ...request }: StartRequest): Promise<LaunchedRun | WebhookRefusal> {
    if (route.kind === 'health') throw routeNotFound();
    return route.kind === 'webhook' ? this.receive(route.trigger, request) : this.invoke(route, request);
  }

  private async receive(
    trigger: WebhookTrigger,
    request: Omit<StartRequest, 'route'>,
  ): Promise<LaunchedRun | WebhookRefusal> {
    const { headers, body } = request;
    const { agentName, auth } = trigger;
    const header = (name: string) => headers.get(name);
    if (auth?.proof === 'signature') checkSignature(auth, { header, body, nowMs: this.clock.nowMs() });
    this.assertKnown(agentName);
    const read = readWebhook(trigger, request);
    if (!('message' in read)) return read;
    const { message, threadId, context } = read;
    return this.launcher.launch({
      ...{ agentName, message, threadId, context, source: 'webhook' },
      ...keyOf(trigger, read, headers.get('idempotency-key')),
    });
  }

  private async invoke(
    { agentName }: Invocation,
    { headers, body }: Omit<StartRequest, 'route'>,
  ): Promise<LaunchedRun> {
    this.assertKnown(agentName);
    const key = readIdempotencyKey(headers.get('idempotency-key'));
    const idempotencyKey = key === null ? null : JSON.stringify(['invoke', agentName, key]);
    return this.launcher.launch({ ...invocationIn(body), agentName, idempotencyKey });
  }

  private assertKnown(agentName: string): void {
    if (this.definition.findAgent(agentName) === null) throw unknownAgent();
  }
}

/** The first value of repeated headers. */
export function singleValues(headers: NodeJS.Dict<string[]>): ReadonlyMap<string, string> {
  return new Map(Object.entries(headers).map(([name, values]) => [name, values![0]!]));
}

function invocationIn(body: Buffer): Omit<RunRequest, 'agentName' | 'idempotencyKey'> {
  const { runId, retryOf, retrySince, requestDigest, ...start } = readInvokeBody(body);
  if (retryOf !== null) return { ...start, source: 'retry', retryOf, retrySince };
  if (runId === null) return { ...start, source: 'invoke', requestDigest: requestDigest ?? startDigestOf(start) };
  // Repeated messages with an id may carry different content, unless their sender forbids it.
  return { ...start, source: 'invoke', runId, ...(requestDigest === null ? {} : { requestDigest }) };
}

/** Callers' keys do not collide: each endpoint has its own. A service's repeated delivery has the same id, whatever else has changed. */
function keyOf(
  { port, endpoint, auth }: WebhookTrigger,
  { deliveryId, requestDigest }: WebhookStart,
  key: string | undefined,
): Pick<RunRequest, 'idempotencyKey' | 'requestDigest'> {
  // GitLab puts its delivery ids in this header, also for signed deliveries.
  const isDeliveryId = auth?.type === 'gitlab' || (auth?.type === 'standard' && deliveryId !== null);
  const own = isDeliveryId ? null : readIdempotencyKey(key);
  if (own !== null) return { idempotencyKey: JSON.stringify(['webhook', port, endpoint, own]), requestDigest };
  if (deliveryId === null) return { idempotencyKey: null, requestDigest };
  return { idempotencyKey: JSON.stringify(['delivery', port, endpoint, deliveryId]) };
}
