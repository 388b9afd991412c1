import { shellWord } from '../common/shell-word.js';
import { EFFECT_SETTLED } from '../common/contract/event-types.js';
import type { ApiConnection, ApiResponse } from './api-connection.js';
import {
  type EffectAttempt,
  type EffectCall,
  EffectInDoubtError,
  EffectRefusedError,
  NoEffectError,
  ResultOmittedError,
  type EffectSummary,
} from './effect-call.js';
import { isFinal, type PatientRequests } from './patient-requests.js';
import { stringifyExact } from '../common/exact-number.js';
import { randomUUID } from 'node:crypto';
import { ForeignResponseError } from './latest-reader.js';

/** Puts an event into the spool. */
type Report = (type: string, data: { thread_id: string; [member: string]: unknown }) => Promise<void>;

/** Makes tool calls with side effects, each at most once. */
export class EffectMaker {
  constructor(
    private readonly connection: ApiConnection,
    private readonly requests: PatientRequests,
    private readonly report: Report,
  ) {}

  async make<T>(run: EffectRun, call: EffectCall, make: (attempt: EffectAttempt) => Promise<T> | T): Promise<T> {
    const claimer = new EffectClaimer(this.connection, run, call);
    const claim = await this.requests.untilResponse(call.signal, (signal) => claimer.claim<T>(signal));
    if (!claim.isStarted) return claim.result;
    const { attempt } = claim;
    let result: T;
    try {
      result = await make({ key: call.key, attempt });
    } catch (error) {
      // Without a settlement it is in doubt anyway; the call's error says more.
      await this.settle(claimer, claimer.failed(attempt, error)).catch(() => undefined);
      throw error;
    }
    await this.settle(claimer, claimer.completed(attempt, result));
    return result;
  }

  /** Settles at once, or through the spool if no server answers. Repeating the same settlement changes nothing. */
  private async settle(claimer: EffectClaimer, settling: Settling): Promise<void> {
    try {
      await claimer.settle(settling, this.requests.end);
    } catch (error) {
      if (isFinal(error)) throw error;
      await this.report(EFFECT_SETTLED, claimer.eventOf(settling));
    }
  }
}

export interface EffectRun {
  thread_id: string;
  trace_id: string;
  agent_id: string;
}

/** The outcome of a call, as the API takes it. */
export interface Settling {
  attempt: number;
  claim_id: string;
  outcome: 'completed' | 'failed' | 'unknown';
  result?: unknown;
  result_omitted?: true;
  error?: unknown;
}

export type Claim<T> = { isStarted: true; attempt: number } | { isStarted: false; result: T };

/** The API's limit for a result. */
const MAX_RESULT_BYTES = 1024 * 1024;

export class EffectClaimer {
  /** The same for all tries of this claim, because a response may get lost. */
  readonly claimId = randomUUID();

  constructor(
    private readonly connection: ApiConnection,
    private readonly run: EffectRun,
    private readonly call: EffectCall,
  ) {}

  /**
   * Tries once.
   * @throws EffectInDoubtError, EffectRefusedError; ApiRefusalError for other refusals; as `fetch` does when no server answers
   */
  async claim<T>(signal: AbortSignal): Promise<Claim<T>> {
    const { key, tool, args, kind, callId, holder, fence, doubtAfterSeconds } = this.call;
    const { trace_id, agent_id } = this.run;
    const claim = {
      ...{ trace_id, agent_id, key, tool, args, kind, call_id: callId, claim_id: this.claimId, holder, fence },
      doubt_after_seconds: doubtAfterSeconds,
    };
    const response = await this.connection.send(this.path, { method: 'POST', body: stringifyExact(claim), signal });
    if (response.status !== 200 && response.status !== 201) throw refusalIn(response, 'the claim of the effect');
    const { result, ...effect } = JSON.parse(response.text) as EffectSummary & { result: T };
    if (effect.state === 'started') return { isStarted: true, attempt: effect.attempt };
    if (effect.result_omitted) throw new ResultOmittedError(effect);
    return { isStarted: false, result };
  }

  /**
   * Tries once.
   * @throws EffectRefusedError if it was settled otherwise; as `fetch` does when no server answers
   */
  async settle(settling: Settling, signal: AbortSignal): Promise<void> {
    const { agent_id } = this.run;
    const query = new URLSearchParams({ agent_id }).toString();
    const path = `${this.path}/${encodeURIComponent(this.call.key)}?${query}`;
    const response = await this.connection.send(path, { method: 'PUT', body: stringifyExact(settling), signal });
    if (response.status !== 200) throw refusalIn(response, 'the settling of the effect');
  }

  completed(attempt: number, result: unknown): Settling {
    const own = { attempt, claim_id: this.claimId, outcome: 'completed' as const };
    const isLong = Buffer.byteLength(stringifyExact(result)) > MAX_RESULT_BYTES;
    return isLong ? { ...own, result_omitted: true } : { ...own, result };
  }

  /** The settlement of a call with an unknown outcome, unless its error says that nothing happened. */
  failed(attempt: number, error: unknown): Settling {
    const outcome = error instanceof NoEffectError ? 'failed' : 'unknown';
    const message = error instanceof Error ? error.message : String(error);
    return { attempt, claim_id: this.claimId, outcome, error: { message: message.slice(0, 10_000) } };
  }

  /** The settlement as an event, which may wait in a spool. */
  eventOf(settling: Settling): { thread_id: string; agent_id: string; [member: string]: unknown } {
    const { thread_id, agent_id } = this.run;
    return { thread_id, agent_id, key: this.call.key, ...settling };
  }

  private get path(): string {
    return `/v1/runners/threads/${encodeURIComponent(this.run.thread_id)}/effects`;
  }
}

function refusalIn({ status, text }: ApiResponse, what: string): Error {
  const { code, detail, effect } = problemIn(text);
  const message = `${what} was refused with status ${status}${detail === undefined ? '' : `: ${detail}`}`;
  if (code === 'effect_in_doubt' && effect) return new EffectInDoubtError(`${message}${wayOut(effect)}`, effect);
  if (code === undefined) return new ForeignResponseError(status, message);
  return new EffectRefusedError(status, code, message, effect ?? null);
}

/** Instructions for settling the effect by hand. */
function wayOut({ thread_id, key }: EffectSummary): string {
  const command = `waystation settle ${shellWord(thread_id)} ${shellWord(key)} completed`;
  return ` When you know: \`${command}\`, or \`not_done\` in the place of \`completed\` (in a clone: \`npx waystation ...\`).`;
}

/** Empty if something other than the API answered. */
function problemIn(text: string): { code?: string; detail?: string; effect?: EffectSummary } {
  try {
    return (JSON.parse(text) ?? {}) as { code?: string; detail?: string; effect?: EffectSummary };
  } catch {
    return {};
  }
}
