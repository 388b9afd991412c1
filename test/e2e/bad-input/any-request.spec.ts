import fc from 'fast-check';
import { checkpoint, newThreadId, started } from '../../factories/events.js';
import { anyRequest, type AnyRequest } from '../../support/any-request.js';
import { checkDocumented } from '../../support/documented-answers.js';
import { checkpointsOf, EVENTS, listOf, ok } from '../../support/recording.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';
import { sendAny } from '../../support/send-any.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ env: { WAYSTATION_LOG_LEVEL: 'error' } });
const SEARCH_MS = searchMs(2);
const ANSWER_MS = 30_000;
/** Statuses from the entry of all requests, even for routes without a body: for an expectation, or a body's size, type or compression. */
const OF_NO_ROUTE = [413, 415, 417];
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_122);

/** What the requests may refer to: existing threads, runs, agents, channels, tokens and cursors. */
async function knownParts() {
  const { api } = server;
  const thread = newThreadId('any');
  const waiting = { pending_tool_calls: [{ id: 'call-1', name: 'pay', arguments: {} }], approval: { required: true } };
  const events = [started(thread), checkpoint(thread, 0), checkpoint(thread, 1, waiting)];
  ok(await api.post(EVENTS, { events }));
  const scopes = ['runner', 'approver', 'reader'];
  const tokens = await Promise.all(
    scopes.map(async (scope) => (await api.post('/v1/tokens', { name: scope, scope })).json<{ token: string }>().token),
  );
  const channel = { platform: 'telegram', name: 'any', config: { bot_token: '123:abc' } };
  const channelId = (await api.post('/v1/channels', channel)).json<{ id?: string }>().id;
  const { next_cursor } = (await api.get('/threads?limit=1')).json<{ next_cursor: string | null }>();
  const ids = [thread, 'run-1', 'support', 'gpt-4o', 'call-1', ...[channelId, next_cursor].filter((id) => !!id)];
  return { ids: ids as string[], tokens: [api.token, api.token, api.token, ...tokens], thread };
}

describe('Any request of any route', () => {
  it(
    'is answered as the documentation says, never with an internal error, and costs nothing that was stored',
    async () => {
      const known = await knownParts();
      const origin = new URL(server.api.baseUrl).origin;
      const statuses = new Map<number, number>();
      const play = async (requests: AnyRequest[]) => {
        await Promise.all(
          requests.map(async (one) => {
            const answer = await sendAny(origin, one, ANSWER_MS);
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            if (answer.status === 500) throw new Error(`500: ${answer.text}`);
            expect(answer.text).not.toContain(server.api.token);
            expect(answer.text).not.toMatch(/node_modules|\bat .*\.(ts|js):\d+|SQLITE_|QueryFailedError/);
            const isOfRoute = one.method !== 'HEAD' && !OF_NO_ROUTE.includes(answer.status);
            if (isOfRoute) checkDocumented(one.method, one.target, answer);
          }),
        );
      };
      const requests = fc.array(anyRequest(known), { minLength: 1, maxLength: 8 });
      await assertSearching(requests, play, { seed, ms: SEARCH_MS });

      const good = newThreadId('good');
      ok(await server.api.post(EVENTS, { events: [checkpoint(good, 0)] }));
      expect(await checkpointsOf(server.api, good)).toHaveLength(1);
      await listOf(server.api, { limit: '200' });
      const sum = [...statuses.values()].reduce((a, b) => a + b, 0);
      console.info(`${sum} requests: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`);
    },
    SEARCH_MS + 60_000,
  );
});
