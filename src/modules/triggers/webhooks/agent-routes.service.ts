import { Injectable } from '@nestjs/common';
import { Definition, type WebhookTrigger } from '../definition/definition.js';
import { plainPath } from '../definition/webhook-endpoint.js';
import { AgentPorts } from './agent-ports.js';

/** What a port and path lead to. */
export type AgentRoute =
  | { readonly kind: 'health'; readonly methods: readonly string[] }
  /** `agentName` as requested: there may be no such agent. */
  | { readonly kind: 'invoke'; readonly methods: readonly string[]; readonly agentName: string }
  | { readonly kind: 'webhook'; readonly methods: readonly string[]; readonly trigger: WebhookTrigger };

const READING = ['GET', 'HEAD'];
const STARTING = ['POST'];
/** Not decoded, so that a slash in an agent's name is not a path separator. */
const INVOKE = /^\/(?:invoke(?:\/(?<name>[^/]+))?|agents\/(?<agent>[^/]+)\/invoke)\/?$/;

/** Finds a request's route by its port and path. */
@Injectable()
export class AgentRoutes {
  private webhooks = new Map<string, WebhookTrigger>();
  /** The triggers that `webhooks` was built from. */
  private known: Definition['triggers'] | null = null;

  constructor(
    private readonly definition: Definition,
    private readonly ports: AgentPorts,
  ) {}

  /** @param path undecoded, without query */
  find(localPort: number, path: string): AgentRoute | null {
    const plain = plainPath(path);
    if (plain === null) return null;
    if (plain === '/health') return { kind: 'health', methods: READING };
    const invoke = INVOKE.exec(path);
    if (invoke !== null) return { kind: 'invoke', methods: STARTING, agentName: this.invokedAgent(invoke) };
    const wanted = this.ports.wantedFor(localPort);
    const trigger = wanted === null ? undefined : this.webhooksNow().get(placeOf(wanted, plain));
    return trigger === undefined ? null : { kind: 'webhook', methods: STARTING, trigger };
  }

  private webhooksNow(): ReadonlyMap<string, WebhookTrigger> {
    const { triggers, webhooks } = this.definition;
    if (this.known === triggers) return this.webhooks;
    this.known = triggers;
    this.webhooks = new Map(
      webhooks.map((trigger) => [
        placeOf(trigger.port ?? this.ports.defaultPort, plainPath(trigger.endpoint)),
        trigger,
      ]),
    );
    return this.webhooks;
  }

  private invokedAgent({ groups }: RegExpExecArray): string {
    const name = groups?.['name'] ?? groups?.['agent'];
    return name === undefined ? this.definition.entryAgent.name : decodeURIComponent(name);
  }
}

function placeOf(port: number, path: string | null): string {
  return `${port} ${path}`;
}
