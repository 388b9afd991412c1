import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { RunSettings } from '../run-settings.js';

const HOUR_MS = 3_600_000;
/** Tokens left over when this process is killed expire by themselves. */
const LIFETIME_HOURS = 72;
const RENEW_AFTER_MS = 24 * HOUR_MS;
const PROBED_THREAD = 'waystation-agent-probe';
/** The server's code for a token that lacks the scope; a proxy that blocks a path does not send it. */
const WRONG_SCOPE = 'wrong_scope';
/** Tokens made by a server. The machine secret never goes to a program, whatever the server says. */
const MADE_TOKEN = /^wst_/;

interface ProgramToken {
  /** Null for this process's own token, which it must not revoke. */
  id: string | null;
  token: string;
  madeAtMs: number;
}

export interface TokenRun {
  agentName: string;
  thread_id: string;
  trace_id: string;
  fence: number;
  lifetimeSeconds: number;
}

/** The programs' tokens: they only allow reporting as their own agent, so that no agent can approve its own calls. Held in memory only. */
@Injectable()
export class ProgramTokens {
  private readonly tokens = new Map<string, ProgramToken>();
  /** Token ids by their runs' traces. */
  private readonly ofRuns = new Map<string, string>();

  constructor(
    private readonly api: ProcessApi,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * A working token, as far as known: while the API is away, the last that worked. Null if there is none, or if this process may not even
   * report.
   */
  async tokenFor(agentName: string): Promise<string | null> {
    const known = this.tokens.get(agentName);
    try {
      if (this.isFresh(known) && (await this.isGood(known.token))) return known.token;
      const made = await this.make(agentName);
      if (made === null) return null;
      this.tokens.set(agentName, made);
      return made.token;
    } catch (error) {
      this.logger.debug({ err: error, agent: agentName }, 'no new token for the program: the API is unreachable');
      return known?.token ?? null;
    }
  }

  /**
   * A token for only this run. Null if this process may create none.
   * @throws as `fetch` if the API is away, and for temporary failures
   */
  async tokenOfRun({ agentName, lifetimeSeconds, ...run }: TokenRun): Promise<string | null> {
    const order = { ...orderFor(agentName, lifetimeSeconds), run };
    const response = await this.answered('/v1/tokens', { method: 'POST', body: JSON.stringify(order) });
    if (response.status !== 201) return null;
    const { id, token } = JSON.parse(response.text) as { id: string; token: string };
    this.ofRuns.set(run.trace_id, id);
    // For a run that begins while the API is away.
    if (!this.isFresh(this.tokens.get(agentName))) await this.tokenFor(agentName);
    return token;
  }

  /** The run's program has ended. A token that cannot be revoked now expires by itself. */
  async revokeOf(traceId: string): Promise<void> {
    const id = this.ofRuns.get(traceId);
    this.ofRuns.delete(traceId);
    if (id !== undefined) await this.revoke(id).catch(() => undefined);
  }

  /** Revokes all tokens, if the API is reachable. */
  async revokeAll(): Promise<void> {
    const ofAgents = [...this.tokens.values()].map(({ id }) => id).filter((id) => id !== null);
    const ids = [...ofAgents, ...this.ofRuns.values()];
    this.tokens.clear();
    this.ofRuns.clear();
    await Promise.allSettled(ids.map((id) => this.revoke(id)));
  }

  private isFresh(known: ProgramToken | undefined): known is ProgramToken {
    return known !== undefined && this.clock.nowMs() - known.madeAtMs < RENEW_AFTER_MS;
  }

  private revoke(id: string): Promise<unknown> {
    return this.api.send(`/v1/tokens/${id}`, { method: 'DELETE', timeoutMs: 2_000 });
  }

  private async make(agentName: string): Promise<ProgramToken | null> {
    const body = JSON.stringify(orderFor(agentName, (LIFETIME_HOURS * HOUR_MS) / 1000));
    const response = await this.answered('/v1/tokens', { method: 'POST', body });
    const madeAtMs = this.clock.nowMs();
    if (response.status === 201) return { ...(JSON.parse(response.text) as { id: string; token: string }), madeAtMs };
    if (response.status === 403 && codeOf(response.text) === WRONG_SCOPE) return this.ownWhereHarmless(madeAtMs);
    this.logger.warn({ status: response.status, agent: agentName }, 'no token could be created for the program');
    return null;
  }

  /** If this process may create no tokens, it hands on its own if that only allows reporting. */
  private async ownWhereHarmless(madeAtMs: number): Promise<ProgramToken | null> {
    const { apiToken } = this.settings;
    if (MADE_TOKEN.test(apiToken) && (await this.isGood(apiToken))) return { id: null, token: apiToken, madeAtMs };
    this.logger.warn('the token of this process may not report, so programs get none');
    return null;
  }

  private async isGood(token: string): Promise<boolean> {
    const { status } = await this.answered(`/v1/runners/threads/${PROBED_THREAD}/latest`, { token });
    return status === 200 || status === 404;
  }

  /** @throws for a temporary failure, which says nothing about a token */
  private async answered(...request: Parameters<ProcessApi['send']>): ReturnType<ProcessApi['send']> {
    const response = await this.api.send(...request);
    if (response.status >= 500 || response.status === 429) throw new Error(`status ${response.status}`);
    return response;
  }
}

function orderFor(agentName: string, expires_in_seconds: number): object {
  const name = `agent ${agentName}`.replace(/\p{Cc}/gu, ' ').slice(0, 200);
  return { scope: 'runner', name, agent_ids: [agentName], expires_in_seconds };
}

/** The code of a problem document; undefined for other text. */
function codeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { code?: unknown } | null)?.code;
  } catch {
    return undefined;
  }
}
