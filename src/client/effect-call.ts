/** A tool call that changes the world. */
export interface EffectCall {
  /** What it does, not where in the run it stands: `refund:order-4711`. The thread and the agent have it once. Pass it on to what the tool calls. */
  key: string;
  tool: string;
  /** As JSON. A key stands for these arguments for ever: others are refused. */
  args?: unknown;
  /** Default `write`; `idempotent` for a call that may be made twice. */
  kind?: 'write' | 'idempotent';
  /** The framework's id of the call. If a person was asked about it, what they decided counts. */
  callId?: string;
  /** Who makes the call, for people to read. */
  holder?: string;
  /** The current fence of the run's lease. */
  fence?: number;
  /** Seconds after which a `write` that was claimed without a lease is in doubt. Default: 300. */
  doubtAfterSeconds?: number;
  /** Ends the wait for the API before the call is made; afterwards it has no effect. */
  signal?: AbortSignal;
}

/** What the function that makes the call gets. */
export interface EffectAttempt {
  key: string;
  /** From 1; higher where it was claimed before. */
  attempt: number;
}
