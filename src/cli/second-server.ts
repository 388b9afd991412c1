import { once } from 'node:events';
import { createServer } from 'node:net';
import { DomainError } from '../common/domain-error.js';
import { findServer, type ServerRecord } from '../common/server-record.js';
import type { AppConfig } from '../config/app-config.js';
import { CliError } from './cli-error.js';
import { listenError, type PortHint } from './listen-error.js';
import { localClock, localDay } from './local-time.js';

/** A running server answers `/health` at once, even under load. */
const RESPONSE_MS = 2_000;

/**
 * Checks everything that another program may have taken, before creating anything.
 * @throws CliError that names the other program
 */
export async function checkAvailability(
  config: AppConfig,
  hints: { port: PortHint; receiver: PortHint },
): Promise<void> {
  const { host, port, receiverHost, receiverPort } = config.server;
  await checkNoSecondServer(config);
  await checkPortIsFree({ host, port }, hints.port).catch((fault: unknown) => {
    const running = findServer(config.server.home);
    throw running !== null && portOf(running) === port ? alreadyRunningError(running) : fault;
  });
  if (receiverPort !== null) await checkPortIsFree({ host: receiverHost, port: receiverPort }, hints.receiver);
}

/**
 * Explains a start that found the storage in use: another server may have started a moment earlier.
 * @throws CliError that names the other server, otherwise the error itself
 */
export async function explainFailedStart(config: AppConfig, error: unknown): Promise<never> {
  if (error instanceof DomainError && error.code === 'storage_in_use') await checkNoSecondServer(config);
  throw error;
}

/** Several instances may share a PostgreSQL database, also from one home directory; a SQLite file belongs to one. */
async function checkNoSecondServer({ server, database }: AppConfig): Promise<void> {
  const running = findServer(server.home);
  const isSameFile = database.url === null && running?.database === database.sqlitePath;
  if (running !== null && isSameFile && (await isHealthy(running))) throw alreadyRunningError(running);
}

async function isHealthy({ url }: ServerRecord): Promise<boolean> {
  return fetch(`${url}/health`, { signal: AbortSignal.timeout(RESPONSE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function checkPortIsFree({ host, port }: { host: string; port: number }, hint: PortHint): Promise<void> {
  if (port === 0) return;
  const probe = createServer().listen({ host, port, exclusive: true });
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw listenError(error, { host, port }, hint);
  }
  probe.close();
  await once(probe, 'close');
}

function alreadyRunningError({ url, pid, started_at }: ServerRecord): CliError {
  const isToday = localDay(started_at) === localDay(new Date().toISOString());
  const clock = localClock(started_at).slice(0, -3);
  const since = isToday ? clock : `${localDay(started_at)} ${clock}`;
  return new CliError(`Already running at ${url} (pid ${pid}, since ${since})`);
}

function portOf({ url }: ServerRecord): number {
  return Number(new URL(url).port || 80);
}
