export interface EffectsOptions {
  inDoubt?: boolean;
  state?: string;
  thread?: string;
  agent?: string;
  json?: boolean;
}

export interface SettleOptions {
  agent?: string;
  attempt?: number;
  result?: string;
  error?: string;
  reason?: string;
  by?: string;
  json?: boolean;
}

/** What a settling may say, as the API takes it, and what it means to a person. */
export const OUTCOMES: readonly (readonly [outcome: string, meaning: string])[] = [
  ['completed', 'it happened: it is never made again'],
  ['not_done', 'it did not happen: the agent may make it again'],
  ['failed', 'it was tried and had no effect: the agent may make it again'],
  ['unknown', 'nobody knows yet: it stays in doubt'],
];
