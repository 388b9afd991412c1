import type { ApiRequests, QueryOf, Schemas } from './api-requests.js';

const WAIT_SECONDS = 50;

/** What a coding agent tells its hooks, with all its other members. */
export type HookInput = Schemas['HookInputDto'] & { [member: string]: unknown };

/** What hooks of coding agents ask. With a token of scope `runner` or `admin`. */
export class HooksApi {
  constructor(private readonly requests: ApiRequests) {}

  /**
   * Tells what a hook of Claude Code got. If it asks a person, waits for the decision, however long the server is away meanwhile.
   * @param query `timeout`: seconds after which nobody can decide any more; without it 600
   * @param options `idempotencyKey`: the same one gets the same decision, in any process
   * @returns what the hook prints; null for nothing: the event is recorded, or nobody decided
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
