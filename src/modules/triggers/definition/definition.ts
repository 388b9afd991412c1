import type { Template } from './template.js';
import type { WebhookFilter } from './webhook-filter.js';
import type { AuthType } from './webhook-presets.js';

/** An agent of the definition file: a program and how to run it. */
export interface AgentDefinition {
  readonly name: string;
  /** The program and its arguments, passed without a shell. At least one entry. */
  readonly command: readonly string[];
  /** Environment of the program on top of what every program gets, with `${NAME}` replaced. */
  readonly env: Readonly<Record<string, string>>;
  /** Seconds until a run and its whole process group are killed; above 0, may have a fraction. */
  readonly timeoutSeconds: number;
  /** Concurrent runs of this agent, at least 1. */
  readonly concurrency: number;
  /** Runs of this agent that may wait; further ones are refused. 0 lets none wait. */
  readonly queueLimit: number;
  /** US dollars at which a run is stopped; null for no limit. */
  readonly budgetUsd: number | null;
  /** What happens to a run that a crash interrupted. */
  readonly onRestart: 'resume' | 'error';
  /** Absolute path of the definition's folder, the programs' working directory. */
  readonly workingDirectory: string;
}

/** How a webhook's caller proves itself. Header names are in lower case. */
export type WebhookAuth = BearerAuth | TokenAuth | SignatureAuth;

interface AnyAuth {
  readonly type: AuthType;
  /** The service's id of a delivery, the same when it is repeated; null if it has none. */
  readonly deliveryId: Template | null;
}

export interface BearerAuth extends AnyAuth {
  readonly proof: 'bearer';
  readonly token: string;
}

/** One of the secrets, unchanged, in a header. */
export interface TokenAuth extends AnyAuth {
  readonly proof: 'token';
  readonly header: string;
  readonly secrets: readonly string[];
}

export type HmacAlgorithm = 'sha256' | 'sha512' | 'sha1';

export type SignedPart =
  | string
  | { readonly kind: 'body' }
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'header'; readonly name: string };

/** An HMAC with one of the keys, as hex or base64, in a header. */
export interface SignatureAuth extends AnyAuth {
  readonly proof: 'signature';
  readonly header: string;
  readonly algorithm: HmacAlgorithm;
  /** Labels allowed before it: see `SignaturePreset`. */
  readonly labels: readonly string[];
  readonly signed: readonly SignedPart[];
  /** Null if the signature's header has the time. */
  readonly timestampHeader: string | null;
  readonly keys: readonly Buffer[];
}

export interface WebhookTrigger {
  readonly type: 'webhook';
  /** Its place in the file, as `triggers[1]` or `agents.support.triggers[0]`. */
  readonly path: string;
  readonly agentName: string;
  /** As in the file; begins with a slash. */
  readonly endpoint: string;
  /** Null takes the default port of the process. */
  readonly port: number | null;
  /** Null admits everybody who reaches the port. */
  readonly auth: WebhookAuth | null;
  readonly filter: WebhookFilter;
  /** The agent's message; null if the body has it. */
  readonly message: Template | null;
  /** The run's thread; null for a new one each time, or the body's. */
  readonly threadId: Template | null;
}

export const OVERLAP_POLICIES = ['skip', 'queue', 'allow'] as const;
export const CATCH_UP_POLICIES = ['none', 'last', 'all'] as const;

export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];
export type CatchUpPolicy = (typeof CATCH_UP_POLICIES)[number];

export interface ScheduleTrigger {
  readonly type: 'schedule';
  /** Its place in the file, as `triggers[1]` or `agents.support.triggers[0]`. */
  readonly path: string;
  /** Derived from what it starts and when, so that it survives restarts and changes to other triggers. */
  readonly key: string;
  readonly agentName: string;
  /** Five fields, as in the file. */
  readonly cron: string;
  /** Name in the IANA time zone database. */
  readonly timezone: string;
  readonly message: string;
  /** The thread of all its runs; null for a new one each time. */
  readonly threadId: string | null;
  /** What happens if it is due while its previous run has not ended. */
  readonly overlap: OverlapPolicy;
  /** Which firings missed during downtime are caught up. */
  readonly catchUp: CatchUpPolicy;
  /** Age in seconds after which a missed firing is not caught up; null for any age. */
  readonly maxAgeSeconds: number | null;
}

export type Trigger = WebhookTrigger | ScheduleTrigger;

/** A valid definition file. */
export class Definition {
  constructor(
    /** Absolute path. */
    readonly file: string,
    /** In the order of the file: the first is the entry agent. Never empty. */
    readonly agents: readonly AgentDefinition[],
    /** In the order of the file. */
    readonly triggers: readonly Trigger[],
    /** The container image in the file; null for Waystation's own. */
    readonly image: string | null,
    /** Sentences for its author about probably misspelt keys. */
    readonly warnings: readonly string[] = [],
  ) {}

  /** Takes over the file's new content. Holders of this object see it at once; running runs keep their settings. */
  replaceWith({ agents, triggers, image, warnings }: Definition): void {
    Object.assign(this, { agents, triggers, image, warnings });
  }

  get entryAgent(): AgentDefinition {
    return this.agents[0]!;
  }

  get webhooks(): WebhookTrigger[] {
    return this.triggers.filter((trigger) => trigger.type === 'webhook');
  }

  get schedules(): ScheduleTrigger[] {
    return this.triggers.filter((trigger) => trigger.type === 'schedule');
  }

  findAgent(name: string): AgentDefinition | null {
    return this.agents.find((agent) => agent.name === name) ?? null;
  }
}

export interface DefinitionFault {
  /** Its place, as `triggers[1].cron`; empty for the whole file. */
  readonly path: string;
  /** What was expected, never a value that may be a secret. */
  readonly detail: string;
}

/** The definition file is unusable. Entry points print all faults and exit with 2. */
export class DefinitionError extends Error {
  constructor(
    /** The file, as given. */
    readonly file: string,
    readonly faults: readonly DefinitionFault[],
  ) {
    super(faults.map((fault) => faultLine(fault)).join('\n'));
    this.name = 'DefinitionError';
  }
}

export function faultLine({ path, detail }: DefinitionFault): string {
  return path === '' ? detail : `${path}: ${detail}`;
}
