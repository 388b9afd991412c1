import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isoTime } from '../../../src/common/clock.js';
import { DomainError } from '../../../src/common/domain-error.js';
import { createLogger } from '../../../src/common/logger.js';
import { AGENT_MIGRATIONS } from '../../../src/database/agent-migrations.js';
import { AGENT_ENTITIES } from '../../../src/agent-entities.js';
import { migrateUp } from '../../../src/database/migrator.js';
import { PortDataSource } from '../../../src/database/port-data-source.js';
import { SqliteDatabase } from '../../../src/database/sqlite-database.js';
import type { ScheduleTrigger } from '../../../src/modules/triggers/definition/definition.js';
import type { Firing } from '../../../src/modules/triggers/schedule/firing.entity.js';
import { FiringsService } from '../../../src/modules/triggers/schedule/firings.service.js';
import { FiringsRepository } from '../../../src/modules/triggers/schedule/firings.repository.js';
import { ScheduledTrigger } from '../../../src/modules/triggers/schedule/scheduled-trigger.js';
import { FakeRunLauncher } from '../../fakes/fake-run-launcher.js';
import { SetClock } from '../../fakes/set-clock.js';
import { waitFor } from '../../support/wait.js';

const HOURLY: ScheduleTrigger = {
  type: 'schedule',
  path: 'triggers[0]',
  key: 'hourly',
  agentName: 'support',
  cron: '0 * * * *',
  timezone: 'UTC',
  message: 'Look around',
  threadId: null,
  overlap: 'skip',
  catchUp: 'none',
  maxAgeSeconds: null,
};

const logger = createLogger({ level: 'silent', isPretty: false });
let folder: string;
let file: string;
let clock: SetClock;
let launcher: FakeRunLauncher;
let database: SqliteDatabase;
let open: ScheduledTrigger[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waystation-schedules-'));
  file = path.join(folder, 'agent.db');
  clock = new SetClock(Date.parse('2026-11-20T08:30:00Z'));
  launcher = new FakeRunLauncher();
  open = [];
  await migrateUp({ url: null, sqlitePath: file }, AGENT_MIGRATIONS);
  database = await SqliteDatabase.open(file);
});

afterEach(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

async function firingsLedger(): Promise<FiringsRepository> {
  return new FiringsRepository(await PortDataSource.over(database, AGENT_ENTITIES));
}

/** Starts the schedule as a starting process does. */
async function start(settings: Partial<ScheduleTrigger> = {}): Promise<ScheduledTrigger> {
  const firings = new FiringsService(await firingsLedger(), launcher, clock, logger);
  const trigger = new ScheduledTrigger({ ...HOURLY, ...settings }, firings, clock);
  open.push(trigger);
  await trigger.open();
  return trigger;
}

async function stop(): Promise<void> {
  for (const trigger of open.splice(0)) await trigger.stop();
  await database.close();
}

/** Ends the process, leaving only the file, and starts the next. */
async function restart(settings: Partial<ScheduleTrigger> = {}): Promise<ScheduledTrigger> {
  await stop();
  database = await SqliteDatabase.open(file);
  return start(settings);
}

async function lookAt(trigger: ScheduledTrigger, time: string): Promise<void> {
  clock.set(`2026-11-20T${time}Z`);
  await trigger.look();
}

/** The ledger's rows, as `09:00 fired`. */
async function ledger(): Promise<string[]> {
  const sql = 'SELECT * FROM firing WHERE trigger_key = $1 ORDER BY due_at';
  const rows = await database.read<Firing>(sql, [HOURLY.key]);
  return rows.map(({ due_at, state, reason }) => `${isoTime(due_at).slice(11, 16)} ${reason ?? state}`);
}

async function ledgerBecomes(expected: string[]): Promise<void> {
  await waitFor(
    `the ledger to become ${expected.join(', ')}`,
    async () => String(await ledger()) === String(expected),
  ).catch(async (error: unknown) => {
    expect(await ledger()).toEqual(expected);
    throw error;
  });
}

const started = () =>
  launcher.runs.map(({ request }) => /"scheduled_at":"[^T]+T(\d\d:\d\d)/.exec(request.context ?? '')?.[1]);

describe('A schedule', () => {
  it('fires each instant once, with the message and a thread of its own', async () => {
    const trigger = await start();
    await lookAt(trigger, '08:59:59.999');
    expect(launcher.runs).toEqual([]);
    await lookAt(trigger, '09:00:00');
    await lookAt(trigger, '09:00:00.500');
    await ledgerBecomes(['09:00 fired']);
    expect(launcher.runs.map(({ request }) => request)).toEqual([
      expect.objectContaining({ agentName: 'support', message: 'Look around', threadId: null, source: 'schedule' }),
    ]);
    expect(isoTime(trigger.nextDueMs!)).toBe('2026-11-20T10:00:00.000Z');
  });

  it('does not fire twice when the process is restarted within the minute', async () => {
    await lookAt(await start(), '09:00:00');
    await ledgerBecomes(['09:00 fired']);
    await lookAt(await restart(), '09:00:20');
    expect(started()).toEqual(['09:00']);
  });

  it('still fires what became due while the process was restarted within the minute', async () => {
    await start();
    clock.set('2026-11-20T09:00:20Z');
    await lookAt(await restart(), '09:00:20');
    await ledgerBecomes(['09:00 fired']);
  });

  it('that is new begins now', async () => {
    clock.set('2026-11-20T09:00:20Z');
    await lookAt(await start({ catchUp: 'all' }), '09:00:21');
    expect(await ledger()).toEqual([]);
  });

  it('starts what had been taken down but not started, under the same key', async () => {
    launcher.refusal = new DomainError('unavailable', 'shutting_down', 'not now');
    await lookAt(await start(), '09:00:00');
    expect(await ledger()).toEqual(['09:00 waiting']);
    launcher.refusal = null;
    await restart();
    await ledgerBecomes(['09:00 fired']);
  });

  it('tries again while the state cannot be written', async () => {
    launcher.refusal = new DomainError('storage_full', 'storage_full', 'full');
    await lookAt(await start(), '09:00:00');
    launcher.refusal = null;
    await ledgerBecomes(['09:00 fired']);
  });
});

describe('While the run before has not ended, a schedule', () => {
  it('skips by default, also when the run is older than the process', async () => {
    const trigger = await start();
    await lookAt(trigger, '09:00:00');
    await ledgerBecomes(['09:00 fired']);
    await lookAt(trigger, '10:00:00');
    const next = await restart();
    await lookAt(next, '11:00:00');
    launcher.endLast();
    await waitFor('the run to be over', () => launcher.activeRuns('support') === 0);
    await lookAt(next, '12:00:00');
    await ledgerBecomes(['09:00 fired', '10:00 overlap', '11:00 overlap', '12:00 fired']);
  });

  it('waits with "queue", also over a restart, and fires in order', async () => {
    const trigger = await start({ overlap: 'queue' });
    for (const time of ['09:00:00', '10:00:00', '11:00:00']) await lookAt(trigger, time);
    await ledgerBecomes(['09:00 fired', '10:00 waiting', '11:00 waiting']);
    await restart({ overlap: 'queue' });
    launcher.endLast();
    await ledgerBecomes(['09:00 fired', '10:00 fired', '11:00 waiting']);
    launcher.endLast();
    await ledgerBecomes(['09:00 fired', '10:00 fired', '11:00 fired']);
    expect(started()).toEqual(['09:00', '10:00', '11:00']);
  });

  it('lets at most 100 wait', async () => {
    const trigger = await start({ overlap: 'queue', cron: '* * * * *' });
    for (let minute = 31; minute < 59; minute++) await lookAt(trigger, `08:${minute}:00`);
    for (let hour = 9; hour < 11; hour++) {
      for (let minute = 0; minute < 60; minute++)
        await lookAt(trigger, `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`);
    }
    const fates = (await ledger()).map((line) => line.slice(6));
    expect(fates.filter((fate) => fate === 'waiting').length).toBeLessThanOrEqual(100);
    expect(fates.at(-1)).toBe('queue_full');
  });

  it('fires beside it with "allow"', async () => {
    const trigger = await start({ overlap: 'allow' });
    await lookAt(trigger, '09:00:00');
    await lookAt(trigger, '10:00:00');
    await ledgerBecomes(['09:00 fired', '10:00 fired']);
  });

  it('skips when the agent takes no more', async () => {
    launcher.refusal = new DomainError('rate_limited', 'queue_full', 'full');
    await lookAt(await start(), '09:00:00');
    await ledgerBecomes(['09:00 queue_full']);
  });
});

describe('After a downtime, a schedule', () => {
  const wentByMeanwhile = async (settings: Partial<ScheduleTrigger>): Promise<void> => {
    await start(settings);
    clock.set('2026-11-20T11:20:00Z');
    await lookAt(await restart(settings), '11:20:00');
  };

  it('makes up for nothing by default, and says so', async () => {
    await wentByMeanwhile({});
    expect(await ledger()).toEqual(['09:00 downtime', '10:00 downtime', '11:00 downtime']);
    expect(launcher.runs).toEqual([]);
  });

  it('makes up for the last', async () => {
    await wentByMeanwhile({ catchUp: 'last' });
    await ledgerBecomes(['09:00 downtime', '10:00 downtime', '11:00 fired']);
  });

  it('makes up for all, one after the other', async () => {
    await wentByMeanwhile({ catchUp: 'all' });
    await ledgerBecomes(['09:00 fired', '10:00 waiting', '11:00 waiting']);
    launcher.endLast();
    await ledgerBecomes(['09:00 fired', '10:00 fired', '11:00 waiting']);
    launcher.endLast();
    await ledgerBecomes(['09:00 fired', '10:00 fired', '11:00 fired']);
  });

  it('makes up for nothing that is too old', async () => {
    await wentByMeanwhile({ catchUp: 'all', maxAgeSeconds: 5000, overlap: 'allow' });
    await ledgerBecomes(['09:00 too_old', '10:00 fired', '11:00 fired']);
  });

  it('of a year keeps the latest instants only', async () => {
    await start({ cron: '* * * * *' });
    clock.set('2027-11-20T09:00:30Z');
    const trigger = await restart({ cron: '* * * * *' });
    await trigger.look();
    await ledgerBecomes([...(await ledger()).slice(0, -1), '09:00 fired']);
    expect((await ledger()).length).toBe(500);
  });

  it('begins again when it had been taken out of the file', async () => {
    await start({ catchUp: 'all' });
    await (await firingsLedger()).tidy(['another'], 0);
    clock.set('2026-11-20T11:20:00Z');
    await lookAt(await restart({ catchUp: 'all' }), '11:20:00');
    expect(await ledger()).toEqual([]);
  });
});

describe('When the clock is set, a schedule', () => {
  it('forward, treats what was jumped over as missed', async () => {
    await lookAt(await start(), '11:00:10');
    await ledgerBecomes(['09:00 downtime', '10:00 downtime', '11:00 fired']);
  });

  it('back, does not fire again what it has fired, and goes on with what comes', async () => {
    const trigger = await start({ overlap: 'allow' });
    await lookAt(trigger, '09:00:00');
    await ledgerBecomes(['09:00 fired']);
    await lookAt(trigger, '08:10:00');
    await lookAt(trigger, '09:00:00');
    await lookAt(trigger, '10:00:00');
    await ledgerBecomes(['09:00 fired', '10:00 fired']);
    expect(started()).toEqual(['09:00', '10:00']);
  });

  it('ahead by mistake and back, still fires what comes', async () => {
    const trigger = await start({ overlap: 'allow' });
    await lookAt(trigger, '15:30:00');
    await lookAt(trigger, '08:40:00');
    await lookAt(trigger, '09:00:00');
    await ledgerBecomes(['09:00 fired', ...['10', '11', '12', '13', '14', '15'].map((hour) => `${hour}:00 downtime`)]);
  });
});
