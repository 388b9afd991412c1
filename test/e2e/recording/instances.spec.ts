import { checkpoint, completed, conversation, newThreadId, started } from '../../factories/events.js';
import { testDialect, type Dialect } from '../../support/dialect.js';
import { EventStream } from '../../support/event-stream.js';
import { checkpointsOf, detailOf, EVENTS, latestOf, latestPath, record, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const first = useServer();

/** SQLite belongs to one process; a second one must refuse to start rather than damage the file. */
function only(dialect: Dialect, name: string, tests: () => void): void {
  if (testDialect() === dialect) describe(name, tests);
}

only('postgres', 'Two servers on one PostgreSQL', () => {
  let second: ServerProcess;

  beforeAll(async () => {
    const home = await siblingHome(first.storage);
    second = await ServerProcess.start(first.storage, { env: { WAYSTATION_HOME: home } });
  });
  afterAll(() => second?.stop());

  const server = (n: number) => (n % 2 === 0 ? first.api : second.api);

  it('read at once what the other has written', async () => {
    const threadId = newThreadId();
    for (let step = 0; step < 20; step++) {
      await record(server(step), checkpoint(threadId, step));
      expect(await latestOf(server(step + 1), threadId)).toMatchObject({
        step_index: step,
        history: { length: 2 * step + 2 },
      });
    }
    expect((await checkpointsOf(first.api, threadId)).map((row) => row.history)).toEqual(
      Array.from({ length: 20 }, (_, step) => conversation(2 * step + 2)),
    );
  });

  it('take the same events at the same moment for what they are', async () => {
    const threadId = newThreadId();
    const events = [started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId)];
    const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => server(n).post(EVENTS, { events })));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(await detailOf(second.api, threadId)).toMatchObject({
      status: 'completed',
      run_list: [{ attempts: 1, steps: 2 }],
    });
  });

  it('keep the order of one thread that both write to', async () => {
    const threadId = newThreadId();
    await Promise.all(Array.from({ length: 64 }, (_, step) => record(server(step), checkpoint(threadId, step))));
    const steps = (await checkpointsOf(second.api, threadId)).map((row) => row.step_index);
    expect(steps).toEqual(Array.from({ length: 64 }, (_, step) => step));
  });

  it('notice what the other has changed of who is at home in a thread', async () => {
    const threadId = newThreadId();
    const bound = async (agent: string) => {
      const made = await first.api.post('/v1/tokens', { scope: 'runner', agent_ids: [agent] });
      return made.json<{ token: string }>().token;
    };
    const [ofA, ofB] = [await bound('a'), await bound('b')];
    const b = { agent_id: 'b', trace_id: 'run-2' };
    await record(first.api.as(ofA), checkpoint(threadId, 0, { agent_id: 'a' }));
    await record(first.api.as(ofB), checkpoint(threadId, 0, b));
    await record(second.api, started(threadId, b));
    expect(await latestOf(second.api, threadId)).toMatchObject({ trace_id: 'run-2' });
    expect(await latestOf(first.api, threadId)).toMatchObject({ trace_id: 'run-2' });
    await record(first.api.as(ofA), checkpoint(threadId, 1, { agent_id: 'a' }));
    expect(await latestOf(second.api, threadId)).toMatchObject({ trace_id: 'run-2' });
  });

  it('wake each other’s waiting clients and feed each other’s streams', async () => {
    const threadId = newThreadId();
    await record(first.api, checkpoint(threadId, 0));
    const { etag } = (await second.api.get(latestPath(threadId))).headers;
    const stream = await EventStream.open(second.api, threadPath(threadId, '/stream'));
    const waiting = second.api.get(latestPath(threadId, { wait: '30' }), {
      headers: { 'if-none-match': String(etag) },
    });
    await record(first.api, checkpoint(threadId, 1));
    expect((await waiting).json().step_index).toBe(1);
    await stream.until('step 1', (seen) =>
      seen.ofType('checkpoint').some(({ data }) => JSON.parse(data).step_index === 1),
    );
    stream.close();
    const resumed = await EventStream.open(first.api, threadPath(threadId, '/stream'), stream.seen[0]?.id);
    await resumed.until('step 1', (seen) => seen.ofType('checkpoint').length === 1);
    resumed.close();
  });

  it('refuse each other when their secrets differ', async () => {
    const home = await siblingHome({ ...first.storage, secret: 'another-secret-another-secret-another-secret-1' });
    const stranger = ServerProcess.spawn(first.storage, { env: { WAYSTATION_HOME: home } });
    expect(await stranger.exit()).not.toBe(0);
    expect(stranger.printed).toMatch(/secret/i);
    expect(stranger.printed).not.toContain('another-secret');
  });
});

only('sqlite', 'A second server on the same SQLite file', () => {
  it('refuses to start, says why, and disturbs nothing', async () => {
    const intruder = ServerProcess.spawn(first.storage);
    expect(await intruder.exit()).not.toBe(0);
    expect(intruder.printed).toMatch(/already|another|in use|locked/i);
    await record(first.api, checkpoint(newThreadId(), 0));
  });
});
