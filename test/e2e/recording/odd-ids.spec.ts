import { checkpoint, completed, conversation, newThreadId, started } from '../../factories/events.js';
import { EventStream } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import {
  checkpointsOf,
  detailOf,
  EVENTS,
  latestOf,
  latestPath,
  listOf,
  record,
  threadPath,
} from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

const ODD_IDS = [
  'a/b/c',
  '/leading',
  'trailing/',
  '//',
  'with spaces in it',
  ' leading space',
  'ünïcödé 漢字 😀',
  'x'.repeat(200),
  '漢'.repeat(512),
  'stream',
  'latest',
  'checkpoints',
  'threads',
  '%2F',
  'a%2Fb',
  '%',
  '%zz',
  'a?b=c',
  'a#b',
  'a&b=c;d',
  'a+b',
  "it's",
  '"quoted"',
  'back\\slash',
  '...',
  '..a',
  'a/../b',
  'a/./b',
  '__proto__',
  'constructor',
  'null',
  '0',
  'DROP TABLE thread;--',
  '*',
  'e\u0301', // two code points that look like the next one
  '\u00e9',
  'A',
  'a',
];

describe('Ids are any text', () => {
  it.each(ODD_IDS.map((id) => [id.slice(0, 30), id]))('thread %j', async (_, id) => {
    await record(server.api, started(id), checkpoint(id, 0), checkpoint(id, 1), completed(id));
    expect(await latestOf(server.api, id)).toMatchObject({ thread_id: id, history: conversation(4) });
    expect(await detailOf(server.api, id)).toMatchObject({ thread_id: id, status: 'completed' });
    expect((await checkpointsOf(server.api, id)).map((row) => row.thread_id)).toEqual([id, id]);
    const stream = await EventStream.open(server.api, threadPath(id, '/stream'));
    await stream.until('the latest checkpoint', (seen) => seen.ofType('checkpoint').length > 0);
    stream.close();
  });

  it('all of them side by side, each its own', async () => {
    const { items } = await listOf(server.api, { limit: '200' });
    expect(new Set(items.map((item) => item.thread_id))).toEqual(new Set(ODD_IDS));
  });

  it.each(ODD_IDS.map((id) => [id.slice(0, 30), id]))('trace and agent %j', async (_, id) => {
    const threadId = `odd-trace-${ODD_IDS.indexOf(id)}`;
    await record(server.api, checkpoint(threadId, 0, { trace_id: id, agent_id: id }), checkpoint(threadId, 0));
    expect(await latestOf(server.api, threadId, { trace_id: id })).toMatchObject({ trace_id: id, agent_id: id });
    expect(await latestOf(server.api, threadId, { agent_id: id })).toMatchObject({ trace_id: id });
    expect(await checkpointsOf(server.api, threadId, { trace_id: id })).toHaveLength(1);
  });

  it.each(ODD_IDS.map((id) => [id.slice(0, 30), id]))('deleting thread %j removes that one', async (_, id) => {
    expect((await server.api.delete(threadPath(id))).status).toBe(204);
    problemOf(await server.api.get(latestPath(id)), 404);
  });

  it.each([
    ['longer than 512 characters', 'x'.repeat(513)],
    ['with a control character', 'a\u0007b'],
    ['with a null character', 'a\u0000b'],
    ['with a line break', 'a\nb'],
    ['a dot', '.'],
    ['two dots', '..'],
  ])('but not %s', async (_, id) => {
    for (const field of ['thread_id', 'trace_id', 'agent_id']) {
      const event = checkpoint('odd-but-fine', 0, { [field]: id });
      const problem = problemOf(await server.api.post(EVENTS, { events: [event] }), 400);
      expect(JSON.stringify(problem)).toContain(field);
    }
  });
});

describe('An empty id', () => {
  it('is none for a thread', async () => {
    const problem = problemOf(await server.api.post(EVENTS, { events: [checkpoint('', 0)] }), 400);
    expect(JSON.stringify(problem)).toContain('thread_id');
  });

  it('counts as absent where it is optional', async () => {
    const threadId = newThreadId();
    const blank = { parent_trace_id: '' };
    await record(server.api, started(threadId, blank), checkpoint(threadId, 0, blank), completed(threadId, blank));
    await record(server.api, checkpoint(threadId, 1, { trace_id: '', agent_id: '' }));
    const rows = await checkpointsOf(server.api, threadId);
    expect(rows.map(({ trace_id, parent_trace_id, agent_id }) => [trace_id, parent_trace_id, agent_id])).toEqual([
      ['run-1', null, 'support'],
      ['run-1', null, 'support'],
    ]);
  });

  it('of an event tells nothing: two events with it are two events', async () => {
    const threadId = newThreadId();
    const blank = { ...checkpoint(threadId, 0), id: '' };
    await record(server.api, blank, { ...checkpoint(threadId, 1), id: '' });
    expect(await checkpointsOf(server.api, threadId)).toHaveLength(2);
  });
});
