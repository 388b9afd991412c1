import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { checkpoint, completed, started } from '../../factories/events.js';
import type { Answer } from '../../support/api-client.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';

interface Sent {
  method: string;
  path: string;
  token: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

const SEED = Number(process.env.WAYSTATION_TEST_SEED ?? Date.now() % 1_000_000);
const THREADS = ['plain', 'with.dot~and:colon', '..', 'a b', 'ü'];
const TOKENS = ['machine', 'runner', 'bound', 'reader', 'approver', 'unknown', 'none'];

/** Differ from one response to the next. */
const VARYING = new Set(['date', 'x-request-id', 'etag']);
const TIMES = /"(updated_at|created_at|ts)":"[^"]*"/g;

const threadId = fc.constantFrom(...THREADS);
const events = fc.array(
  threadId.chain((id) =>
    fc.constantFrom(
      started(id),
      checkpoint(id, 0),
      checkpoint(id, 1),
      completed(id),
      { type: 'checkpoint', data: { thread_id: 7 } },
      { type: 'checkpoint', data: { thread_id: id, step_index: 'x' } },
      { type: 'note', data: {} },
    ),
  ),
  { maxLength: 3 },
);
const body = fc.oneof(
  { weight: 6, arbitrary: events.map((list) => Buffer.from(JSON.stringify({ events: list }))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', '[]', 'null', '{"events":1}', '{"events":[],"more":1}').map(Buffer.from),
  },
);
const report = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'PUT'),
  path: fc.constantFrom(
    ...['/v1/runners/events', '/internal/v1/runners/events', '/v1/runners/events?x=1', '/v1/runners/events/'],
    '/V1/runners/events',
  ),
  token: fc.constantFrom(...TOKENS),
  headers: fc.constantFrom<Record<string, string>>(
    {},
    ...[{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }, { 'content-encoding': 'zip' }],
    { host: 'evil.example' },
  ),
  body,
});
const latest = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'DELETE'),
  path: fc
    .tuple(
      threadId,
      fc.constantFrom(
        '',
        '?',
        '?trace_id=run-1',
        '?agent_id=support&trace_id=run-1',
        '?trace_id=',
        '?trace_id=%72un-1',
      ),
      fc.constantFrom(
        '',
        '',
        '&resume=false',
        '&resume=maybe',
        '&trace_id=x',
        '&nothing=1',
        '&history=none',
        '&wait=x',
      ),
    )
    .map(([id, query, more]) => {
      const parameters = query === '' && more !== '' ? `?${more.slice(1)}` : query + more;
      return `/v1/runners/threads/${encodeURIComponent(id)}/latest${parameters}`;
    }),
  token: fc.constantFrom(...TOKENS),
  headers: fc.constantFrom<Record<string, string>>({}, { 'if-none-match': '"nothing"' }, { 'if-none-match': '*' }),
  body: fc.constant(undefined),
});

const step = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'PUT'),
  path: fc
    .tuple(
      threadId,
      fc.constantFrom('', '?agent_id=support', '?agent_id=a%3Ab', '?agent_id=', '?agent_id=%61', '?ns=x'),
    )
    .map(([id, query]) => `/v1/runners/threads/${encodeURIComponent(id)}/state${query}`),
  token: fc.constantFrom(...TOKENS),
  headers: fc.constantFrom<Record<string, string>>({}, { 'content-type': 'text/plain' }),
  body: fc.oneof(
    events.map((list) => Buffer.from(JSON.stringify({ events: list }))),
    fc.constantFrom('', '{', '{}', '{"events":1}', '{"writes":[{"task_id":"t"}]}').map(Buffer.from),
  ),
});

describe('Both doors to the routes that agents call at every step', () => {
  let [fast, plain]: InProcessApp[] = [];

  beforeAll(async () => {
    [fast, plain] = await Promise.all([startApp(), startApp({ isWithoutFastLane: true })]);
  });
  afterAll(() => Promise.all([fast!.stop(), plain!.stop()]));

  it('give the same responses to the same requests', async () => {
    const [ofFast, ofPlain] = await Promise.all([tokensOf(fast!), tokensOf(plain!)]);
    const requests = fc.array(fc.oneof(report, latest, step), { minLength: 1, maxLength: 12 });
    const check = async (sent: Sent[]) => {
      for (const one of sent) {
        const [first, second] = [await send(fast!, ofFast, one), await send(plain!, ofPlain, one)];
        expect(visible(first)).toEqual(visible(second));
      }
    };
    await assertSearching(requests, check, { seed: SEED, ms: searchMs(8) });
  });
});

async function tokensOf({ api, storage }: InProcessApp): Promise<Record<string, string | null>> {
  const made = async (order: object) => (await api.post('/v1/tokens', order)).json<{ token: string }>().token;
  return {
    machine: storage.secret,
    runner: await made({ scope: 'runner' }),
    bound: await made({ scope: 'runner', agent_ids: ['support'] }),
    reader: await made({ scope: 'reader' }),
    approver: await made({ scope: 'approver' }),
    unknown: 'nobody-has-this',
    none: null,
  };
}

function send({ api }: InProcessApp, tokens: Record<string, string | null>, sent: Sent): Promise<Answer> {
  const { method, path, token, headers } = sent;
  const isZipped = headers['content-encoding'] === 'gzip';
  const bytes = sent.body && isZipped ? gzipSync(sent.body) : sent.body;
  return api.send(method, path, method === 'GET' ? undefined : bytes, { token: tokens[token] ?? null, headers });
}

function visible({ status, headers, text }: Answer): object {
  const kept = Object.entries(headers).filter(([name]) => !VARYING.has(name));
  return { status, headers: Object.fromEntries(kept), hasEtag: 'etag' in headers, text: text.replaceAll(TIMES, '') };
}
