import type { Template } from './template.js';
import type { WebhookFilter } from './webhook-filter.js';
import type { AuthType } from './webhook-presets.js';

/** An agent of the definition file: a program and how it is run. */
export interface AgentDefinition {
  readonly name: string;
  /** The program and its arguments, as they are handed to it: no shell. At least one entry. */
  readonly command: readonly string[];
  /** Environment of the program on top of what every program gets; `${NAME}` has been replaced. */
  readonly env: Readonly<Record<string, string>>;
  /** Seconds until a run is ended, its whole process group with it; above 0, may have a fraction. */
  readonly timeoutSeconds: number;
  /** Runs of this agent at a time, at least 1. */
  readonly concurrency: number;
  /** Runs of this agent that may wait for their turn; beyond it a run is refused. 0 lets none wait. */
  readonly queueLimit: number;
  /** US dollars at which a run is stopped; null for no limit. */
  readonly budgetUsd: number | null;
  /** What becomes of a run that a crash has interrupted. */
  readonly onRestart: 'resume' | 'error';
  /** Absolute path of the definition's folder, in which the program starts. */
  readonly workingDirectory: string;
}

/** How the caller of a webhook proves itself. Names of headers are in lower case. */
export type WebhookAuth = BearerAuth | TokenAuth | SignatureAuth;

interface AnyAuth {
  readonly type: AuthType;
  /** What a service calls this delivery, also when it tries again; null where it gives it no name. */
  readonly deliveryId: Template | null;
}

export interface BearerAuth extends AnyAuth {
  readonly proof: 'bearer';
  readonly token: string;
}

/** One of the secrets, as it is, in a header. */
export interface TokenAuth extends AnyAuth {
  readonly proof: 'token';
  readonly header: string;
  readonly secrets: readonly string[];
}

export type HmacAlgorithm = 'sha256' | 'sha512' | 'sha1';

/** A part of what is signed. */
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
  /** What may stand in front of it: see `SignaturePreset`. */
  readonly labels: readonly string[];
  readonly signed: readonly SignedPart[];
  /** Null where the header of the signature has the time. */
  readonly timestampHeader: string | null;
  readonly keys: readonly Buffer[];
}

export interface WebhookTrigger {
  readonly type: 'webhook';
  /** Where it stands in the file, as `triggers[1]` or `agents.support.triggers[0]`. */
  readonly path: string;
  readonly agentName: string;
  /** As in the file; begins with a slash. */
  readonly endpoint: string;
  /** Null takes the default port of the process. */
  readonly port: number | null;
  /** Null lets everybody in who reaches the port. */
  readonly auth: WebhookAuth | null;
  readonly filter: WebhookFilter;
  /** What the agent is told; null where the body says it. */
  readonly message: Template | null;
  /** The thread of the run; null opens one for each, or leaves it to the body. */
  readonly threadId: Template | null;
}

export const OVERLAP_POLICIES = ['skip', 'queue', 'allow'] as const;
export const CATCH_UP_POLICIES = ['none', 'last', 'all'] as const;

export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];
export type CatchUpPolicy = (typeof CATCH_UP_POLICIES)[number];

export interface ScheduleTrigger {
  readonly type: 'schedule';
  /** Where it stands in the file, as `triggers[1]` or `agents.support.triggers[0]`. */
  readonly path: string;
  /** The same after a restart and after other triggers of the file have changed: made of what it starts and when. */
  readonly key: string;
  readonly agentName: string;
  /** Five fields, as in the file. */
  readonly cron: string;
  /** Name in the IANA time zone database. */
  readonly timezone: string;
  readonly message: string;
  /** The thread of all its runs; null opens one for each. */
  readonly threadId: string | null;
  /** What happens when it is due while its run before has not ended. */
  readonly overlap: OverlapPolicy;
  /** Which of the firings that were due while the process was not there are made up for. */
  readonly catchUp: CatchUpPolicy;
  /** Seconds after which a missed firing is no longer made up for; null for never. */
  readonly maxAgeSeconds: number | null;
}

export type Trigger = WebhookTrigger | ScheduleTrigger;

/** A definition file that has been read and found good. */
export class Definition {
  constructor(
    /** Absolute path. */
    readonly file: string,
    /** In the order of the file: the first is the entry agent. Never empty. */
    readonly agents: readonly AgentDefinition[],
    /** In the order of the file. */
    readonly triggers: readonly Trigger[],
    /** The container image that the file asks for; null for Waystation's own. */
    readonly image: string | null,
    /** What its author should look at: sentences about keys that are probably misspelt. */
    readonly warnings: readonly string[] = [],
  ) {}

  /** Becomes what the file says now. Whoever holds this object sees it at once; runs under way keep what they began with. */
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
  /** Where it stands, as `triggers[1].cron`; empty for the file as a whole. */
  readonly path: string;
  /** What was expected, never a value that may be a secret. */
  readonly detail: string;
}

/** A definition file cannot be used. Entry points print all faults plainly and exit with 2. */
export class DefinitionError extends Error {
  constructor(
    /** The file, as it was named. */
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
