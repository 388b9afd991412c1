import { VERSION } from '../../../common/version.js';
import type { DatabaseConfig } from '../../../config/database.config.js';
import { pendingMigrations, unknownMigrations } from '../../../database/backup/schema-check.js';
import { TRANSFER_TABLE } from '../../../database/migrator.js';
import { encodingFault, requirementFaultOf } from '../../../database/postgres-requirements.js';
import type { DoctorRepository } from './doctor.repository.js';
import { fault, fine, warning, type Finding } from './finding.js';
import { checkPostgresTools } from './postgres-tools.js';

const MINUTE_MS = 60_000;
/** Servers write a heartbeat every 15 seconds. */
const FRESH_MS = MINUTE_MS;
const LEAST_POSTGRES = 130_000;
/** Reserved for administrators by default. */
const RESERVED_CONNECTIONS = 3;

export async function checkSchema(storage: DoctorRepository): Promise<Finding> {
  if (storage.has(TRANSFER_TABLE)) {
    const message = 'A move of a SQLite file to this database is unfinished.';
    return fault('schema', message, 'Let `waystation migrate-data` finish.');
  }
  const names = await storage.migrations();
  const [unknown, pending] = [unknownMigrations(names), pendingMigrations(names)];
  if (unknown.length > 0) {
    const message = `The schema is from a newer version (${unknown.join(', ')}).`;
    return fault(
      'schema',
      message,
      'Run the newer version, or take its migrations back with it (`waystation migrate --down`).',
    );
  }
  if (names.length === 0) return fine('schema', 'The database is empty; the first start creates the schema.');
  if (pending.length === 0) return fine('schema', `The schema matches version ${VERSION}.`);
  const message = `${pending.length} migrations have not run yet: ${pending.join(', ')}.`;
  return warning('schema', message, 'Make a backup; the next start runs them.');
}

/** SQLite only. */
export async function checkFile(storage: DoctorRepository): Promise<Finding> {
  const damages = await storage.damages();
  if (damages.length === 0) return fine('file', 'SQLite finds nothing wrong with the file.');
  const remedy = 'Stop the server, keep a copy of the file, restore the last backup.';
  return fault('file', `The file is damaged: ${damages.join('; ')}`, remedy);
}

export async function checkRows(storage: DoctorRepository, nowMs: number): Promise<Finding[]> {
  const orphans = await storage.orphans();
  const beyond = await storage.messagesBeyond();
  const remains = await storage.remainsOlderThan(nowMs - 60 * MINUTE_MS);
  const report = 'No reader sees them. Please report it, with the log of the time.';
  return [
    orphans.length === 0
      ? fine('orphans', 'All rows belong to threads.')
      : warning('orphans', `Rows of threads that do not exist: ${orphans.join(', ')}.`, report),
    beyond === 0
      ? fine('messages', 'All messages are where their threads expect them.')
      : fault('messages', `${beyond} messages lie beyond the end of their threads.`, 'Restore the last backup.'),
    remains === 0
      ? fine('remains', 'No rows of deleted threads remain.')
      : warning(
          'remains',
          `${remains} deleted threads still have rows.`,
          'A running server removes them: is one running?',
        ),
  ];
}

export async function checkNotices(storage: DoctorRepository): Promise<Finding> {
  const disabled = await storage.disabledNotices();
  if (disabled.length === 0) return fine('notices', 'No notice was disabled because of failures.');
  const said = disabled.map(({ name, disabled_reason }) => `${name} (${disabled_reason})`).join(', ');
  const remedy = 'Repair the receiver, then run `waystation notices enable`, which also sends what is waiting.';
  return warning('notices', `Disabled notices: ${said}.`, remedy);
}

export async function checkQueues(storage: DoctorRepository, nowMs: number): Promise<Finding[]> {
  const approvals = await storage.overdueApprovals(nowMs - MINUTE_MS);
  const channels = await storage.overdueChannelWork(nowMs - 10 * MINUTE_MS);
  const remedy = 'A running server handles them: is one running, and what does its log say?';
  return [
    approvals === 0
      ? fine('approvals', 'No approval is overdue.')
      : warning('approvals', `${approvals} approvals should have expired by now.`, remedy),
    channels === 0
      ? fine('channels', 'No chat has overdue work.')
      : warning('channels', `${channels} chats or sessions have waited for more than 10 minutes.`, remedy),
  ];
}

export async function checkInstances(storage: DoctorRepository, nowMs: number): Promise<Finding> {
  const all = await storage.instances();
  const alive = all.filter(({ last_seen }) => Number(last_seen) > nowMs - FRESH_MS);
  if (alive.length === 0) return fine('instances', 'No server is running.');
  const said = alive.map(({ host, pid, version }) => `${host}/${pid} (${version})`).join(', ');
  const isMixed = alive.some(({ version }) => version !== VERSION);
  if (!isMixed) return fine('instances', `Running: ${said}.`);
  return warning('instances', `Running: ${said}; this program is ${VERSION}.`, 'Use one version for all.');
}

/** PostgreSQL only. */
export async function checkPostgres(
  storage: DoctorRepository,
  { url, poolSize }: DatabaseConfig,
  nowMs: number,
): Promise<Finding[]> {
  const version = Number(await storage.setting('server_version_num'));
  const encoding = encodingFault(await storage.setting('server_encoding'));
  const most = Number(await storage.setting('max_connections')) - RESERVED_CONNECTIONS;
  const instances = (await storage.instances()).filter(({ last_seen }) => Number(last_seen) > nowMs - FRESH_MS);
  const wanted = (poolSize + 1) * Math.max(1, instances.length);
  const major = Math.floor(version / 10_000);
  const name = `PostgreSQL ${major}`;
  return [
    version >= LEAST_POSTGRES
      ? fine('postgres', `${name} answers.`)
      : warning('postgres', `${name} is older than any tested version.`, 'Use PostgreSQL 13 or later.'),
    encoding ? fault('encoding', encoding.message, encoding.remedy) : fine('encoding', 'Texts are UTF-8.'),
    wanted <= most
      ? fine('connections', `The instances may use ${wanted} of ${most} connections.`)
      : warning(
          'connections',
          `The instances may need ${wanted} connections, but PostgreSQL allows ${most}.`,
          'Lower WAYSTATION_DATABASE_POOL_SIZE, or raise max_connections.',
        ),
    await checkUse(url ?? ''),
    await checkClock(storage),
    await checkPostgresTools(major),
  ];
}

async function checkUse(url: string): Promise<Finding> {
  const unfit = await requirementFaultOf(url);
  if (unfit === null || unfit.code === 'wrong_encoding') {
    return fine('sessions', 'The database is writable, and each connection is its own.');
  }
  return fault('sessions', unfit.message, 'A server would not start on it.');
}

async function checkClock(storage: DoctorRepository): Promise<Finding> {
  const beforeMs = Date.now();
  const thereMs = await storage.nowMs();
  const afterMs = Date.now();
  // However long the query takes: any time between request and response is right.
  const skewSeconds = Math.round(Math.max(0, beforeMs - thereMs, thereMs - afterMs)) / 1000;
  const message = `The clock of the database differs by ${skewSeconds} s.`;
  if (skewSeconds <= 2) return fine('clock', message);
  return warning('clock', message, 'Set both by NTP: servers use the clock of the database, agents use their own.');
}
