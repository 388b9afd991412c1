import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EVENTS_TOKEN, EventsServer } from '../../../../test/fakes/events-server.js';
import { ApiAddress } from '../../../common/api-address.js';
import { createLogger } from '../../../common/logger.js';
import { AGENT_MIGRATIONS } from '../../../database/agent-migrations.js';
import { migrateUp } from '../../../database/migrator.js';
import { SqliteDatabase } from '../../../database/sqlite-database.js';
import { RunSettings } from '../run-settings.js';
import { RefusedReports, Reporter } from './reporter.service.js';
import { SpoolRepository } from './spool.repository.js';

let folder: string;
let database: SqliteDatabase;
let api: EventsServer;
let reporter: Reporter;
let logged: Record<string, unknown>[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waystation-reporter-'));
  const sqlitePath = path.join(folder, 'agent.db');
  await migrateUp({ url: null, sqlitePath }, AGENT_MIGRATIONS);
  database = await SqliteDatabase.open(sqlitePath);
  api = await EventsServer.start();
  const address = { api: new ApiAddress(api.url), apiToken: EVENTS_TOKEN };
  const settings = Object.assign(new RunSettings(), { ...address, stateDir: folder });
  logged = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) };
  const logger = createLogger({ level: 'warn', isPretty: false, destination });
  reporter = new Reporter(new SpoolRepository(database), settings, logger);
  await reporter.onModuleInit();
});
afterEach(async () => {
  await reporter.stop(10_000);
  await api.stop();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const report = (text: string) =>
  reporter.spool([reporter.event('shared', 'log', JSON.stringify({ text }))], () => Promise.resolve());

describe('The reporter', () => {
  it('waits for what was reported before, not for the silence of a thread in which another run goes on', async () => {
    let goesOn = true;
    const reports: Promise<void>[] = [];
    // The next event arrives before the last is confirmed, so the thread always has one waiting.
    api.judge = () => {
      if (goesOn) reports.push(report('the other run'));
      return undefined;
    };
    await report('the run that has ended');
    await expect(reporter.delivered('shared', 20_000)).resolves.toBe(true);
    expect(api.events[0]?.data).toEqual({ text: 'the run that has ended' });
    goesOn = false;
    await Promise.all(reports);
  });

  it('keeps what the API refuses, as it was, in a file that it names once for each run', async () => {
    api.judge = (events) => {
      const rejected = events.flatMap(({ type }, index) =>
        type === 'log' ? [{ index, type, code: 'stale_fence', detail: 'No longer.' }] : [],
      );
      return { status: 207, body: { saved: events.length - rejected.length, rejected } };
    };
    const data = ['a', 'b'].map((trace) => `{"thread_id":"t","trace_id":"${trace}", "n": 9007199254740993}`);
    const event = (type: string, at: number) => reporter.event('t', type, data[at]!);
    await reporter.spool([event('log', 0), event('checkpoint', 0), event('log', 0), event('log', 1)], async () => {});
    await expect(reporter.delivered('t', 20_000)).resolves.toBe(true);
    const file = path.join(folder, 'refused-events.jsonl');
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.map((line) => line.includes(`"data":${data[0]}`))).toEqual([true, true, false]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      Array(3).fill({
        ...{ refused_at: expect.any(String), code: 'stale_fence', detail: 'No longer.' },
        event: expect.objectContaining({ type: 'log', id: expect.any(String) }),
      }),
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const facts = { code: 'stale_fence', detail: 'No longer.', file, thread_id: 't', msg: 'reports refused and kept' };
    expect(logged).toEqual([
      expect.objectContaining({ ...facts, trace_id: 'a', reports: 2 }),
      expect.objectContaining({ ...facts, trace_id: 'b', reports: 1 }),
    ]);
  });

  it('goes on delivering when it cannot keep what is refused, and says so', async () => {
    await mkdir(path.join(folder, 'refused-events.jsonl'));
    api.answerNext(207, { saved: 0, rejected: [{ index: 0, code: 'invalid_event', detail: 'No.' }] });
    await report('refused');
    await expect(reporter.delivered('shared', 20_000)).resolves.toBe(true);
    await report('taken');
    await expect(reporter.delivered('shared', 20_000)).resolves.toBe(true);
    expect(logged.map(({ msg }) => msg)).toEqual([expect.stringMatching(/^reports refused and lost/)]);
  });
});

describe('The file of refused reports', () => {
  it('is put aside when it is full, in place of the one before', async () => {
    const reports = new RefusedReports(folder, 100);
    for (const code of ['one', 'two', 'three', 'four', 'five']) {
      await reports.keep([{ event: `{"type":"${'x'.repeat(40)}"}`, code, detail: 'd' }], '2026-11-22T00:00:00.000Z');
    }
    const codesIn = async (name: string) =>
      (await readFile(path.join(folder, name), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { code: string }).code);
    expect(await codesIn('refused-events.jsonl')).toEqual(['five']);
    expect(await codesIn('refused-events.old.jsonl')).toEqual(['four']);
  });

  it('sends only what is new once the server understands that, and keeps whole histories until then', async () => {
    api.features = 'history_base';
    const messages = Array.from({ length: 8 }, (_, n) => ({ role: 'user', content: `${n}${'.'.repeat(600)}` }));
    const checkpoint = async (length: number) => {
      const data = JSON.stringify({ thread_id: 't', trace_id: 'r', agent_id: 'a', history: messages.slice(0, length) });
      await reporter.spool([reporter.event('t', 'checkpoint', data)], () => Promise.resolve());
      await expect(reporter.delivered('t', 20_000)).resolves.toBe(true);
    };
    for (const length of [2, 4, 6]) await checkpoint(length);
    const [, second, third] = api.events;
    expect(third!.data).toMatchObject({ history: messages.slice(4, 6), history_base: { id: second!.id, length: 4 } });
    const rejected = [{ index: 0, type: 'checkpoint', code: 'base_mismatch', detail: 'it is gone' }];
    api.judge = ([event]) =>
      event!.data.history_base ? { status: 400, body: { code: 'no_event_saved', rejected } } : undefined;
    await checkpoint(8);
    expect(api.events.at(-1)!.data.history).toEqual(messages);
    expect(logged).toEqual([]);
  });
});
