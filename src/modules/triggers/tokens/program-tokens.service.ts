import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { RunSettings } from '../run-settings.js';

const HOUR_MS = 3_600_000;
/** Tokens that are left over when this process is killed end by themselves. */
const LIFETIME_HOURS = 72;
const RENEW_AFTER_MS = 24 * HOUR_MS;
const PROBED_THREAD = 'waystation-agent-probe';
/** The server's word for a token that may not do what was asked; a proxy that keeps a path closed does not say it. */
const WRONG_SCOPE = 'wrong_scope';
/** Tokens that a server has made. The machine secret never goes to a program, whatever the server says. */
const MADE_TOKEN = /^wst_/;

interface ProgramToken {
  /** Null for this process's own, which is not ours to revoke. */
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

/**
 * Tokens that programs get: good for reporting as their own agent and for nothing else, so that no agent can approve its own calls.
 * Held in memory only.
 */
@Injectable()
export class ProgramTokens {
  private readonly tokens = new Map<string, ProgramToken>();
  /** Ids of tokens, by the traces of their runs. */
  private readonly ofRuns = new Map<string, string>();

  constructor(
    private readonly api: ProcessApi,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * A token that works, as far as can be seen: while the API is away it is the one that worked last. Null if there is none, and where this
   * process may not even report.
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
   * A token that is good for this run and nothing else. Null if this process may create none.
   * @throws as `fetch` does when the API is away, and for answers that may be others another time
   */
  async tokenOfRun({ agentName, lifetimeSeconds, ...run }: TokenRun): Promise<string | null> {
    const order = { ...orderFor(agentName, lifetimeSeconds), run };
    const answer = await this.api.send('/v1/tokens', { method: 'POST', body: JSON.stringify(order) });
    if (answer.status >= 500 || answer.status === 429) throw new Error(`no token: status ${answer.status}`);
    if (answer.status !== 201) return null;
    const { id, token } = JSON.parse(answer.text) as { id: string; token: string };
    this.ofRuns.set(run.trace_id, id);
    // For a run that begins while the API is away.
    if (!this.isFresh(this.tokens.get(agentName))) await this.tokenFor(agentName);
    return token;
  }

  /** The program of the run has ended. What cannot be revoked now ends by itself. */
  async revokeOf(traceId: string): Promise<void> {
    const id = this.ofRuns.get(traceId);
    this.ofRuns.delete(traceId);
    if (id !== undefined) await this.revoke(id).catch(() => undefined);
  }

  /** Takes back what was given out, as far as the API is there. */
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
    const answer = await this.api.send('/v1/tokens', { method: 'POST', body });
    const madeAtMs = this.clock.nowMs();
    if (answer.status === 201) return { ...(JSON.parse(answer.text) as { id: string; token: string }), madeAtMs };
    if (answer.status === 403 && codeOf(answer.text) === WRONG_SCOPE) return this.ownWhereHarmless(madeAtMs);
    this.logger.warn({ status: answer.status, agent: agentName }, 'no token could be created for the program');
    return null;
  }

  /** This process may make no tokens. Its own is handed on if it is good for reporting: then it is good for no more than that. */
  private async ownWhereHarmless(madeAtMs: number): Promise<ProgramToken | null> {
    const { apiToken } = this.settings;
    if (MADE_TOKEN.test(apiToken) && (await this.isGood(apiToken))) return { id: null, token: apiToken, madeAtMs };
    this.logger.warn('the token of this process may not report, so programs get none');
    return null;
  }

  private async isGood(token: string): Promise<boolean> {
    const { status } = await this.api.send(`/v1/runners/threads/${PROBED_THREAD}/latest`, { token });
    return status === 200 || status === 404;
  }
}

function orderFor(agentName: string, expires_in_seconds: number): object {
  const name = `agent ${agentName}`.replace(/\p{Cc}/gu, ' ').slice(0, 200);
  return { scope: 'runner', name, agent_ids: [agentName], expires_in_seconds };
}

/** The code of a problem document; undefined if the text is none. */
function codeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { code?: unknown } | null)?.code;
  } catch {
    return undefined;
  }
}
