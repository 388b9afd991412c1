import type { ApiRequests, QueryOf, Schemas } from './api-requests.js';

const WAIT_SECONDS = 50;

/** The input of a coding agent's hook, with all its members. */
export type HookInput = Schemas['HookInputDto'] & { [member: string]: unknown };

/** Hooks of coding agents. With a token of scope `runner` or `admin`. */
export class HooksApi {
  constructor(private readonly requests: ApiRequests) {}

  /**
   * Sends the input of a Claude Code hook. If it asks a person, waits for the decision, even while the server is away.
   * @param query `timeout`: seconds after which nobody can decide any more. Default: 600
   * @param options `idempotencyKey`: calls with the same key get the same decision, in any process
   * @returns what the hook should print; null for nothing: the event is recorded, or nobody decided
   * @throws ApiProblemError when the server refuses it; the reason of `signal`
   */
  async claude(
    input: HookInput,
    query: Omit<QueryOf<'/v1/runners/hooks/claude', 'post'>, 'wait'>,
    { idempotencyKey, signal }: { idempotencyKey: string; signal?: AbortSignal },
  ): Promise<Schemas['HookOutputDto'] | null> {
    for (;;) {
      const said = await this.requests.send('post', '/v1/runners/hooks/claude', {
        query: { ...query, wait: `${WAIT_SECONDS}` },
        body: input,
        headers: { 'idempotency-key': idempotencyKey },
        isRepeatable: true,
        ...{ timeoutMs: (WAIT_SECONDS + 10) * 1000, retries: Infinity, totalTimeoutMs: Infinity },
        signal,
      });
      if (said === undefined) return null;
      if ('hookSpecificOutput' in said) return said;
    }
  }
}
