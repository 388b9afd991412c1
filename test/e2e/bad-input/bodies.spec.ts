import { readFileSync } from 'node:fs';
import { gzipSync, createGzip } from 'node:zlib';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { rawAt } from '../../support/raw-json.js';
import { checkpointsOf, EVENTS, latestPath, ok, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ isAlone: true });
const LEVELS = 100_000;
const deep = '['.repeat(LEVELS) + ']'.repeat(LEVELS);
const deepObject = '{"a":'.repeat(LEVELS) + '1' + '}'.repeat(LEVELS);

afterEach(async () => {
  const threadId = newThreadId();
  await record(server.api, checkpoint(threadId, 0));
  expect(await checkpointsOf(server.api, threadId)).toHaveLength(1);
});

describe('Nesting of 100,000 levels', () => {
  it.each([
    ['history', `[${deep}]`],
    ['history', `[{"role":"user","content":${deepObject}}]`],
    ['history_meta', `[${deep}]`],
    ['pending_tool_calls', `[${deepObject}]`],
    ['our_own', deep],
    ['step_index', deep],
    ['thread_id', deepObject],
    ['status', deep],
  ])(
    'in %s is stored exactly or rejected by name, and the good events of the batch are stored',
    async (name, value) => {
      const [good, bad] = [newThreadId(), newThreadId()];
      const event = `{"type":"checkpoint","data":{"thread_id":"${bad}","${name}":${value}}}`;
      const answer = await server.api.post(EVENTS, `{"events":[${event},${JSON.stringify(checkpoint(good, 0))}]}`);
      expect([200, 207]).toContain(answer.status);
      expect(await checkpointsOf(server.api, good)).toHaveLength(1);
      if (answer.status === 207) {
        expect(rawAt(answer.text, 'rejected', 0, 'detail')).toContain(name);
        return;
      }
      expect(rawAt(ok(await server.api.get(latestPath(bad))).text, name)).toBe(value);
      for (const path of [threadPath(bad), threadPath(bad, '/checkpoints'), '/threads?include=history&limit=200']) {
        ok(await server.api.get(path));
      }
    },
  );

  it.each([deep, deepObject, `{"events":${deep}}`, `{"events":[${deepObject}]}`, `{"events":[],"x":${deep}}`])(
    'as the body itself is never an internal error (%#)',
    async (body) => {
      expect([200, 207, 400]).toContain((await server.api.post(EVENTS, body)).status);
    },
  );
});

describe('Duplicate keys', () => {
  it.each([
    ['thread_id', '"thread_id":"duplicate-keys"'],
    ['tokens_used', '"tokens_used":1,"tokens_used":2'],
    ['history', '"history":[1],"history":[1,2]'],
    ['status', '"status":"in_progress","\\u0073tatus":"completed"'],
    ['our_own', '"our_own":1,"our_own":1'],
  ])('in %s are rejected by name, for nobody could say which was meant', async (name, members) => {
    const threadId = newThreadId();
    const bad = `{"type":"checkpoint","data":{"thread_id":"${newThreadId()}",${members}}}`;
    const answer = await server.api.post(EVENTS, `{"events":[${bad},${JSON.stringify(checkpoint(threadId, 0))}]}`);
    expect(answer.status).toBe(207);
    expect(answer.json()).toMatchObject({ saved: 1, rejected: [{ index: 0, detail: expect.stringContaining(name) }] });
  });

  it.each(['{"events":[],"events":[]}', '{"events":[{"type":"x","type":"y","data":{"thread_id":"a"}}]}'])(
    'are a 400 in the envelope (%#)',
    async (body) => {
      problemOf(await server.api.post(EVENTS, body), 400);
    },
  );

  it('inside of messages are kept, for messages are opaque', async () => {
    const threadId = newThreadId();
    const history = '[{"role":"user","role":"user","content":"x"}]';
    const data = `{"thread_id":"${threadId}","history":${history}}`;
    ok(await server.api.post(EVENTS, `{"events":[{"type":"checkpoint","data":${data}}]}`));
    expect(rawAt(ok(await server.api.get(latestPath(threadId))).text, 'history')).toBe(history);
  });
});

describe('Bytes that are no text', () => {
  const body = (bytes: number[]) =>
    Buffer.concat([
      Buffer.from('{"events":[{"type":"checkpoint","data":{"thread_id":"bytes","history":["'),
      Buffer.from(bytes),
      Buffer.from('"]}}]}'),
    ]);

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half a character', [0xe6, 0xbc]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond unicode', [0xf5, 0x80, 0x80, 0x80]],
    ['0xff', [0xff]],
  ])('%s: 400, nothing is stored', async (_, bytes) => {
    const problem = problemOf(await server.api.post(EVENTS, body(bytes)), 400);
    expect(problem.detail).toMatch(/UTF-8/i);
    problemOf(await server.api.get(latestPath('bytes')), 404);
  });

  it('UTF-16 and other charsets: never an internal error', async () => {
    const utf16 = Buffer.from('{"events":[]}', 'utf16le');
    expect([400, 415]).toContain((await server.api.post(EVENTS, utf16)).status);
    const headers = { 'content-type': 'application/json; charset=utf-16' };
    problemOf(await server.api.post(EVENTS, utf16, { headers }), 415);
  });
});

describe('Broken JSON', () => {
  const whole = JSON.stringify({ events: [checkpoint('broken', 0)] });

  it.each([
    ['cut off', whole.slice(0, -5)],
    ['followed by more', `${whole}x`],
    ['two documents', `${whole}${whole}`],
    ['single quotes', "{'events':[]}"],
    ['a comment', '{"events":[] /* none */}'],
    ['a trailing comma', '{"events":[],}'],
    ['NaN', '{"events":[{"type":"checkpoint","data":{"thread_id":"broken","tokens_used":NaN}}]}'],
    ['Infinity', '{"events":[{"type":"checkpoint","data":{"thread_id":"broken","run_cost_usd":Infinity}}]}'],
    ['a raw line break in a string', '{"events":[{"type":"checkpoint","data":{"thread_id":"bro\nken"}}]}'],
    ['only blanks', '   \n '],
    ['a form', 'events=[]'],
  ])('%s: 400, nothing is stored', async (_, body) => {
    problemOf(await server.api.post(EVENTS, body), 400);
    problemOf(await server.api.get(latestPath('broken')), 404);
  });
});

describe('Compressed bodies', () => {
  const gzip = { headers: { 'content-encoding': 'gzip' } };

  it('that unpack to a gibibyte are 413 and are never held in memory', async () => {
    const bomb = await gzipOfZeros(1024);
    problemOf(await server.api.post(EVENTS, bomb, gzip), 413);
    expect(peakMegabytes(server.process.pid)).toBeLessThan(600);
  });

  it('packed twice are not unpacked twice', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(1024 * 1024, '0')));
    expect([400, 413, 415]).toContain((await server.api.post(EVENTS, bomb, gzip)).status);
  });

  it.each([
    ['cut off', gzipSync(JSON.stringify({ events: [checkpoint('packed', 0)] })).subarray(0, -12)],
    ['not compressed at all', Buffer.from('{"events":[]}')],
    ['empty', Buffer.alloc(0)],
    ['with a wrong checksum', spoil(gzipSync(JSON.stringify({ events: [checkpoint('packed', 0)] })), -6)],
  ])('that are %s are 400, nothing is stored', async (_, body) => {
    problemOf(await server.api.post(EVENTS, body, gzip), 400);
    problemOf(await server.api.get(latestPath('packed')), 404);
  });
});

function spoil(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 0xff;
  return copy;
}

async function gzipOfZeros(megabytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  const zeros = Buffer.alloc(1024 * 1024);
  for (let written = 0; written < megabytes; written++) {
    if (!gzip.write(zeros)) await new Promise((resolve) => gzip.once('drain', resolve));
  }
  gzip.end();
  await new Promise((resolve) => gzip.once('end', resolve));
  return Buffer.concat(chunks);
}

/** A process's peak memory; Linux only, 0 elsewhere. */
function peakMegabytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
