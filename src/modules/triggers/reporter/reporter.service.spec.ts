import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EVENTS_TOKEN, EventsServer } from '../../../../test/fakes/events-server.js';
import { ApiAddress } from '../../../common/api-address.js';
import { createLogger } from '../../../common/logger.js';
import { AGENT_MIGRATIONS } from '../../../database/agent-migrations.js';
import { migrateUp } from '../../../database/migrator.js';
import { SqliteDatabase } from '../../../database/sqlite-database.js';
import { RunSettings } from '../run-settings.js';
import { Reporter } from './reporter.service.js';
import { SpoolRepository } from './spool.repository.js';

let folder: string;
let database: SqliteDatabase;
let api: EventsServer;
let reporter: Reporter;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waystation-reporter-'));
  const sqlitePath = path.join(folder, 'agent.db');
  await migrateUp({ url: null, sqlitePath }, AGENT_MIGRATIONS);
  database = await SqliteDatabase.open(sqlitePath);
  api = await EventsServer.start();
  const settings = Object.assign(new RunSettings(), { api: new ApiAddress(api.url), apiToken: EVENTS_TOKEN });
  reporter = new Reporter(new SpoolRepository(database), settings, createLogger({ level: 'silent', isPretty: false }));
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
    // The next event is there before the last one is answered for: something of the thread waits at any time.
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
});
