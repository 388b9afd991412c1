import fc from 'fast-check';
import { checkpoint, newThreadId, started } from '../../factories/events.js';
import { checkpointsOf, EVENTS, listOf, ok, threadPath } from '../../support/recording.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const SEARCH_MS = searchMs(2);
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_121);
const search = { seed, ms: SEARCH_MS };

const FIELD_NAMES = Object.keys(checkpoint('x', 0).data).filter((name) => name !== 'thread_id');
const TYPES = [
  'checkpoint',
  'thread_started',
  'thread_completed',
  'thread_error',
  'thread_budget_exceeded',
  'thread_idle',
  'heartbeat',
  'anything',
];

const anyEvent = fc.record({
  type: fc.constantFrom(...TYPES),
  fields: fc.dictionary(fc.constantFrom(...FIELD_NAMES, 'error', 'approval', '__proto__', 'note'), fc.jsonValue(), {
    maxKeys: 5,
  }),
});

describe('Any JSON in any field', () => {
  it(
    'is never an internal error, costs no good event, and can be read back',
    async () => {
      const play = async (junk: { type: string; fields: Record<string, unknown> }[]) => {
        const threadId = newThreadId('fuzz');
        const events = [
          ...junk.map(({ type, fields }) => ({ type, data: { ...fields, thread_id: threadId } })),
          checkpoint(`${threadId}-good`, 0),
        ];
        const answer = await server.api.post(EVENTS, { events });
        expect([200, 207]).toContain(answer.status);
        const { saved, rejected } = answer.json<{ saved: number; rejected: unknown[] }>();
        expect(saved + rejected.length).toBe(events.length);
        expect(await checkpointsOf(server.api, `${threadId}-good`)).toHaveLength(1);
        for (const rest of ['', '/checkpoints', '/checkpoints?history=new']) {
          const read = await server.api.get(threadPath(threadId) + rest);
          expect([200, 404]).toContain(read.status);
        }
      };
      await assertSearching(fc.array(anyEvent, { minLength: 1, maxLength: 4 }), play, search);
      await listOf(server.api, { limit: '200', include: 'history', sort: 'total_cost_usd' });
    },
    SEARCH_MS + 60_000,
  );
});

describe('A valid body with some bytes changed', () => {
  const whole = Buffer.from(JSON.stringify({ events: [started('bytes'), checkpoint('bytes', 0)] }));
  const edit = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255), isInsert: fc.boolean() });

  it(
    'is taken or refused, never an internal error',
    async () => {
      const play = async (edits: { at: number; byte: number; isInsert: boolean }[]) => {
        const body = edits.reduce(
          (bytes, { at, byte, isInsert }) =>
            Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(isInsert ? at : at + 1)]),
          whole,
        );
        expect([200, 207, 400]).toContain((await server.api.post(EVENTS, body)).status);
      };
      await assertSearching(fc.array(edit, { minLength: 1, maxLength: 3 }), play, search);
      ok(await server.api.get('/threads?limit=200'));
    },
    SEARCH_MS + 60_000,
  );
});
