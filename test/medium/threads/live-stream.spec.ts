import {
  checkpoint,
  completed,
  conversation,
  failed,
  budgetWarning,
  newThreadId,
  started,
} from '../../factories/events.js';
import { EventStream, type StreamedEvent } from '../../support/event-stream.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { record, recordEach, threadPath } from '../../support/recording.js';

let server: InProcessApp;
const open: EventStream[] = [];

beforeAll(async () => {
  server = await startApp();
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(() => server.stop());

async function follow(threadId: string, lastEventId?: string | null): Promise<EventStream> {
  const stream = await EventStream.open(server.api, threadPath(threadId, '/stream'), lastEventId);
  open.push(stream);
  return stream;
}

/** Ids and kinds, and the data that distinguishes events of one kind. */
function outline(events: readonly StreamedEvent[]): string[] {
  return events.map(({ id, event, data }) => {
    const { step_index, status, message } = JSON.parse(data) as Record<string, unknown>;
    const detail = event === 'checkpoint' ? `step ${String(step_index)}` : event === 'status' ? status : message;
    return `${id} ${event} ${String(detail)}`;
  });
}

async function events(threadId: string, lastEventId: string | null, count: number): Promise<string[]> {
  const stream = await follow(threadId, lastEventId);
  await stream.until(`${count} events`, ({ seen }) => seen.length >= count);
  return outline(stream.seen);
}

describe('The live stream', () => {
  it('tells what is said again, also where it was put before older messages', async () => {
    const threadId = newThreadId();
    const [remark, q1, a1, q2] = ['Reminder', 'q1', 'a1', 'q2'].map((content) => ({ role: 'user', content }));
    await record(server.api, checkpoint(threadId, 0, { history: [q1, a1] }));
    const stream = await follow(threadId);
    await record(server.api, checkpoint(threadId, 1, { history: [remark, a1] }));
    await record(server.api, checkpoint(threadId, 2, { history: [remark, a1, q2, remark] }));
    await stream.until('what was said last', ({ seen }) => seen.at(-1)?.id === '3');
    const said = outline(stream.seen).filter((line) => line.includes(' log '));
    expect(said).toEqual(['2 log Reminder', '3.2 log q2', '3 log Reminder']);
  });

  it('tells of a step, then of its status if that is another one, then what was said; the last of them ends the change', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await follow(threadId);
    await record(server.api, checkpoint(threadId, 1));
    await record(server.api, checkpoint(threadId, 2, { status: 'waiting_for_approval' }));
    await stream.until('the step', ({ seen }) => seen.at(-1)?.id === '3');
    await record(server.api, completed(threadId));
    await stream.until('the end', ({ seen }) => seen.at(-1)?.data.includes('completed') === true);
    expect(outline(stream.seen)).toEqual([
      '1 checkpoint step 0',
      '2.0 checkpoint step 1',
      '2.2 log question 1',
      '2 log answer 1',
      '3.0 checkpoint step 2',
      '3.1 status waiting_for_approval',
      '3.2 log question 2',
      '3 log answer 2',
      expect.stringMatching(/^\d+ status completed$/),
    ]);
  });

  it('goes on within a change', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), checkpoint(threadId, 2));
    const whole = [
      '2.0 checkpoint step 1',
      '2.1 status in_progress',
      '2.2 log question 1',
      '2 log answer 1',
      '3.0 checkpoint step 2',
      '3.2 log question 2',
      '3 log answer 2',
    ];
    expect(await events(threadId, '1', 7)).toEqual(whole);
    expect(await events(threadId, '2.1', 5)).toEqual(whole.slice(2));
    expect(await events(threadId, '2', 3)).toEqual(
      ['3.0 checkpoint step 2', '3.1 status in_progress', '3.2 log question 2', '3 log answer 2'].slice(0, 4),
    );
  });

  it('takes the id from the query where no header can be set, and the header before it', async () => {
    const threadId = newThreadId();
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1), checkpoint(threadId, 2));
    const path = threadPath(threadId, '/stream', { last_event_id: '1' });
    const byQuery = await EventStream.open(server.api, path);
    const byHeader = await EventStream.open(server.api, path, '2');
    open.push(byQuery, byHeader);
    await byQuery.until('an event', ({ seen }) => seen.length > 0);
    await byHeader.until('an event', ({ seen }) => seen.length > 0);
    expect([byQuery.seen[0]?.id, byHeader.seen[0]?.id]).toEqual(['2.0', '3.0']);
  });

  it('begins again for an id that the thread has not reached: it is of an earlier thread of the name', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    expect(await events(threadId, '999', 1)).toEqual(['1 checkpoint step 0']);
  });

  it('says each message once, although a step was reported again and another attempt began', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId));
    const stream = await follow(threadId);
    const corrected = [...conversation(3), { role: 'assistant', content: 'a better answer' }];
    await recordEach(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1));
    await recordEach(server.api, checkpoint(threadId, 1, { history: corrected }), failed(threadId));
    await recordEach(
      server.api,
      checkpoint(threadId, 0, { history: [...corrected, { role: 'user', content: 'next' }] }),
    );
    await stream.until('the last message', ({ seen }) => seen.some(({ data }) => data.includes('"message":"next"')));
    const said = stream.ofType('log').map(({ data }) => (JSON.parse(data) as { message: string }).message);
    expect(said).toEqual([
      'question 0',
      'answer 0',
      'question 1',
      'answer 1',
      'a better answer',
      'the model timed out',
      'next',
    ]);
  });

  it('tells that a run has started before it has a step, and of warnings', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await follow(threadId);
    await record(server.api, started(threadId, { trace_id: 'run-2' }), budgetWarning(threadId, { trace_id: 'run-2' }));
    await stream.until('the warning', ({ seen }) => seen.length >= 3);
    const [, start, warning] = stream.seen;
    expect(JSON.parse(start?.data ?? '')).toMatchObject({ trace_id: 'run-2', status: 'in_progress', error: null });
    expect(JSON.parse(warning?.data ?? '')).toMatchObject({ level: 'warn', kind: 'event', trace_id: 'run-2' });
  });

  it('knows the name of a tool whose call was made before the reader came', async () => {
    const threadId = newThreadId();
    const call = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'search', arguments: '{}' } }] };
    const history = [{ role: 'user', content: 'go' }, call, { role: 'tool', tool_call_id: 'c1', content: 'found' }];
    await record(server.api, checkpoint(threadId, 0, { history: history.slice(0, 2) }));
    const stream = await follow(threadId);
    await record(server.api, checkpoint(threadId, 1, { history }));
    await stream.until('the result', (one) => one.ofType('log').length > 0);
    expect(JSON.parse(stream.ofType('log')[0]?.data ?? '')).toMatchObject({ kind: 'tool_result', tool_name: 'search' });
  });

  it('keeps what was reported exact, line breaks between its tokens included', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const stream = await follow(threadId);
    const message = '{"role": "user",\n\n  "content": "two\\nlines",\r\n  "n": 12345678901234567890}';
    const body = `{"events":[{"type":"checkpoint","data":{"thread_id":"${threadId}","trace_id":"run-1","step_index":1,"history":[${message}]}}]}`;
    expect((await server.api.post('/v1/runners/events', body)).status).toBe(200);
    await stream.until('the step', (one) => one.ofType('checkpoint').length === 2);
    const { data } = stream.ofType('checkpoint')[1]!;
    expect(data).toContain(message.replace('\r', ''));
    expect(JSON.parse(data)).toMatchObject({ history: [{ content: 'two\nlines' }] });
  });
});
