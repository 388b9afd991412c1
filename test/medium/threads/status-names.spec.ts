import { checkpoint, newThreadId } from '../../factories/events.js';
import { toolCall } from '../../factories/waiting.js';
import { useClockedApp } from '../../support/clocked-app.js';
import { EventStream } from '../../support/event-stream.js';
import { checkpointsOf, detailOf, latestOf, listOf, ok, record } from '../../support/recording.js';

const app = useClockedApp();

const NAMES = [
  ['running', 'in_progress'],
  ['waiting', 'waiting_for_approval'],
  ['failed', 'error'],
] as const;

interface Warned {
  items: { thread_id: string; status: string }[];
  warnings?: string[];
}

async function found(query: string, api = app.api): Promise<Warned> {
  return ok(await api.get(`/threads?${query}`)).json<Warned>();
}

describe.each(NAMES)('The status %s', (name, status) => {
  it(`is another name of ${status} for those who ask`, async () => {
    const threadId = newThreadId(name);
    await record(app.api, checkpoint(threadId, 0, { status }));
    expect(await found(`q=${threadId}&status=${name}`)).toMatchObject({ items: [{ thread_id: threadId, status }] });
    expect(await found(`q=${threadId}&status=${name}&status=idle`)).toMatchObject({ items: [{ status }] });
    expect(await found(`q=${threadId}&status=${name}`)).not.toHaveProperty('warnings');
    const stream = await EventStream.open(app.api, `/v1/threads/stream?q=${threadId}&status=${name}`);
    await stream.until('its beginning', ({ lastId }) => lastId !== null);
    await record(app.api, checkpoint(threadId, 1, { status }));
    await stream.until('the thread', ({ seen }) => seen.some(({ event }) => event === 'thread'));
    stream.close();
  });

  it(`is another name of ${status} for those who report, and no answer has it`, async () => {
    const threadId = newThreadId(name);
    const pending = name === 'waiting' ? [toolCall('refund')] : [];
    await record(app.api, checkpoint(threadId, 0, { status: name, pending_tool_calls: pending }));
    expect((await latestOf(app.api, threadId)).status).toBe(status);
    expect((await checkpointsOf(app.api, threadId)).map((row) => row.status)).toEqual([status]);
    expect(await detailOf(app.api, threadId)).toMatchObject({ status, run_list: [{ status }] });
    expect((await listOf(app.api, { q: threadId, status })).items).toHaveLength(1);
  });
});

describe('A status that no thread has', () => {
  it('is named in the answer, with what was probably meant', async () => {
    const odd = `odd-${newThreadId()}`;
    await record(app.api, checkpoint(newThreadId(), 0, { status: odd }));
    expect(await found(`status=${odd}`)).not.toHaveProperty('warnings');
    expect(await found('status=idle')).not.toHaveProperty('warnings');
    const { items, warnings } = await found(`status=complete&status=in_progress&status=${odd}-2&count=true`);
    expect(items.length).toBeGreaterThan(0);
    expect(warnings).toEqual([
      'status: no thread has the status "complete"; did you mean completed?',
      `status: no thread has the status "${odd}-2"`,
    ]);
    expect((await found(`status=${'x'.repeat(5000)}`)).warnings![0]!.length).toBeLessThan(200);
  });

  it('is one as well for a bound reader who sees none of those threads', async () => {
    const [own, other] = [`agent-${newThreadId()}`, `status-${newThreadId()}`];
    await record(app.api, checkpoint(newThreadId(), 0, { status: other, agent_id: `not-${own}` }));
    const { api } = await app.tokenOf('reader', { agent_ids: [own] });
    expect((await found(`status=${other}`, api)).warnings).toHaveLength(1);
    expect(await found(`status=${other}`)).not.toHaveProperty('warnings');
  });
});
