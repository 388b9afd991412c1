import { hash } from 'node:crypto';
import { checkpoint, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import { everySecond, fragmented, numbers, onBase } from '../../support/fragmented-base.js';
import { answersOf } from '../../support/readings.js';
import { checkpointsOf, latestOf, ok, record, recordEach, threadPath } from '../../support/recording.js';
import { rowsOf } from '../../support/table-contents.js';
import { useServer } from '../../support/test-server.js';

/** Messages of the base, each its own range of the log. */
const COUNT = 1_200;
/** Stored bytes of a list of the base: places, each with a comma. */
const WHOLE_BYTES = 5 * COUNT;
const server = useServer();

const LINES = { headers: { 'content-type': 'application/x-ndjson' } };

/** Stored bytes of the lists of all checkpoints of a thread. */
async function storedBytes(threadId: string): Promise<number> {
  const pk = (await rowsOf(server.storage, 'thread')).find(({ id }) => id === threadId)!.pk;
  const rows = (await rowsOf(server.storage, 'checkpoint')).filter(({ thread_pk }) => thread_pk === pk);
  return rows.reduce((sum, row) => sum + String(row.history).length + String(row.history_meta).length, 0);
}

/** The lines of an export, each with its checksum. */
function withChecks(lines: readonly string[]): string {
  let check = '';
  const checked = lines.map((line) => {
    const text = line.replace(/,"check":"[^"]*"\}$/, '');
    check = hash('sha256', check + text, 'base64url').slice(0, 22);
    return `${text},"check":"${check}"}\n`;
  });
  return checked.join('');
}

describe('Small reports on a base of very many pieces', () => {
  const lists = new Map<string, unknown[]>();
  let threadId: string;

  beforeAll(async () => {
    threadId = await fragmented(server.api, COUNT);
    lists.set('base', everySecond(COUNT));
    // One after the other, in parallel, on a part of the base, and with other lists in between.
    const events: RunnerEvent[] = [];
    for (let i = 0, last = 'base'; i < 70; i++) {
      const id = `event ${i}`;
      const length = i % 4 === 2 ? COUNT - 1 - i : COUNT;
      const base = i % 4 === 0 ? last : 'base';
      if (i % 4 === 3) {
        lists.set(id, [`alone ${i}`]);
        events.push({ ...checkpoint(threadId, i + 2, { history: [`alone ${i}`] }), id: `${threadId} ${id}` });
        continue;
      }
      const kept = i % 4 === 0 ? lists.get(base)!.length : length;
      events.push(onBase(threadId, i + 2, [id, base, kept]));
      lists.set(id, [...lists.get(base)!.slice(0, kept), `message of ${id}`]);
      last = id;
    }
    await recordEach(server.api, ...events.slice(0, 40));
    for (let from = 40; from < events.length; from += 40) await record(server.api, ...events.slice(from, from + 40));
  });

  const expected = () => [numbers(2 * COUNT), ...lists.values()];
  const historiesOf = async (id: string) => (await checkpointsOf(server.api, id)).map(({ history }) => history);

  it('store little more than what they bring, and read back exactly', async () => {
    expect(await storedBytes(threadId)).toBeLessThan(30 * WHOLE_BYTES);
    expect(await historiesOf(threadId)).toEqual(expected());
    expect((await latestOf(server.api, threadId)).history).toEqual([...lists.values()].at(-1));
  });

  it('are told to live readers once, and move to another thread as they are', async () => {
    const steps = ok(await server.api.get(threadPath(threadId, '/steps', { limit: '200' })));
    const { items } = steps.json<{ items: { history_length: number; history_places: string }[] }>();
    expect(items.map((item) => item.history_places.split(',').length > COUNT / 2)).toEqual(
      items.map((item) => item.history_length > COUNT / 2 && item.history_length < 2 * COUNT),
    );
    const before = await answersOf(server.api, threadId);
    const file = ok(await server.api.get(`/v1/threads/${threadId}/export`)).text;
    const copy = newThreadId();
    const imported = await server.api.post(`/v1/threads/import?as=${encodeURIComponent(copy)}`, file, LINES);
    expect(imported.status).toBe(201);
    expect(await historiesOf(copy)).toEqual(expected());
    await server.restart();
    expect(await answersOf(server.api, threadId)).toEqual(before);
    const last = 'event 68';
    const length = lists.get(last)!.length;
    await record(server.api, onBase(threadId, 300, ['after', last, length]));
    expect((await latestOf(server.api, threadId)).history).toEqual([...lists.get(last)!, 'message of after']);
  });

  it('are refused in an import where what they go on from is not there', async () => {
    const id = await fragmented(server.api, 2_000);
    await record(server.api, ...numbers(10).map((i) => onBase(id, i + 2, [`more ${i}`, 'base', 2_000])));
    const lines = ok(await server.api.get(`/v1/threads/${id}/export`))
      .text.split('\n')
      .slice(0, -1);
    const row = lines.findIndex((line) => /"history_from":\d/.test(line));
    for (const [changed, detail] of [
      [lines[row]!.replace(/"history_from":\d+/, '"history_from":99'), 'continues a row that does not exist'],
      [lines[row]!.replace(/"history_from_length":\d+/, '"history_from_length":9999999'), 'continues a row'],
      [lines[row]!.replace(/"history_from_length":\d+/, '"history_from_length":null'), 'continues a row'],
    ] as const) {
      const file = withChecks(lines.map((line, at) => (at === row ? changed : line)));
      const answer = await server.api.post(`/v1/threads/import?as=${id}-copy`, file, LINES);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(detail)]);
    }
    expect((await server.api.post(`/v1/threads/import?as=${id}-copy`, withChecks(lines), LINES)).status).toBe(201);
  });

  it('are refused in an import where they would begin within a range, or go on from each other without end', async () => {
    const id = newThreadId();
    await recordEach(
      server.api,
      checkpoint(id, 0, { history: numbers(30), history_meta: [] }),
      checkpoint(id, 1, { history: numbers(31), history_meta: [] }),
    );
    const file = ok(await server.api.get(`/v1/threads/${id}/export`)).text;
    const lines = file.split('\n').slice(0, -1);
    const [base, next] = lines.flatMap((line, at) => (line.includes('"history_from":null') ? [at] : [])) as [
      number,
      number,
    ];
    const seq = Number(/"seq":(\d+)/.exec(lines[base]!)![1]);
    const goOn = (line: string, from: number, length: number) =>
      line
        .replace(/"history":"[^"]*"/, '"history":"30"')
        .replace('"history_from":null', `"history_from":${from}`)
        .replace('"history_from_length":null', `"history_from_length":${length}`);
    const importOf = async (...rows: string[]) => {
      const changed = [lines[base]!.replace(/"history":"[^"]*"/, '"history":"10-19,25"'), ...rows];
      const all = [...lines.slice(0, base), ...changed, ...lines.slice(next + 1)];
      const body = withChecks(all.map((line) => line.replace(/^(\{"end":\{.*"rows":)\d+/, `$1${all.length - 2}`)));
      const answer = await server.api.post(`/v1/threads/import?as=${id}-copy`, body, LINES);
      return [answer.status, answer.status === 201 ? '' : answer.json<{ detail: string }>().detail];
    };
    for (const length of [1, 3, 6]) {
      const refused = [400, expect.stringContaining('continues a row that does not exist')];
      expect([length, ...(await importOf(goOn(lines[next]!, seq, length)))]).toEqual([length, ...refused]);
    }
    const chain = numbers(4_097).map((i) =>
      goOn(lines[next]!, i === 0 ? seq : 1_000 + i - 1, 5)
        .replace(/"seq":\d+/, `"seq":${1_000 + i}`)
        .replace(/"step_index":\d+/, `"step_index":${1 + i}`),
    );
    const endless = [400, expect.stringContaining('continues more than 4096 other rows')];
    expect(await importOf(...chain)).toEqual(endless);
    expect(await importOf(goOn(lines[next]!, seq, 5))).toEqual([201, '']);
    expect((await historiesOf(`${id}-copy`)).at(-1)).toEqual([...numbers(20).slice(10), 30]);
  });

  it('carry their lists into new runs and attempts for little', async () => {
    const id = await fragmented(server.api, COUNT);
    const list = everySecond(COUNT).slice(1);
    const before = await storedBytes(id);
    const step = checkpoint(id, 0, { trace_id: 'again', history: list, history_meta: list });
    await record(server.api, ...numbers(30).map((i) => started(id, { trace_id: `run ${i}` })));
    await record(server.api, step);
    for (let i = 0; i < 15; i++) {
      await record(server.api, started(id, { trace_id: 'again' }), step);
      await record(server.api, checkpoint(id, 1, { trace_id: 'again', history: [...list, `attempt ${i}`] }));
    }
    // The steps of each attempt contain whole lists, which are stored once.
    expect((await storedBytes(id)) - before).toBeLessThan(30 * WHOLE_BYTES);
    const latest = await latestOf(server.api, id, { trace_id: 'run 29' });
    expect(latest.history).toEqual(everySecond(COUNT));
    const attempts = (await checkpointsOf(server.api, id, { trace_id: 'again', limit: '200' })).map(
      (one) => one.history,
    );
    expect(attempts.filter((one) => one.length === list.length)).toEqual(Array.from({ length: 15 }, () => list));
  });
});
