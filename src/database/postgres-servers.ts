import { setTimeout as pause } from 'node:timers/promises';
import { POSTGRES_NOW } from './database-clock.js';
import { storageInUse } from './backup/backup.errors.js';

/** A dead program's connection remains until PostgreSQL notices, at the latest when its statement ends. */
const LINGER_MS = 5_000;
const LOOK_MS = 200;

/** Servers write a heartbeat every 15 seconds; after four missed ones they count as dead. */
const FRESH_MS = 60_000;

/** Covers the heartbeat before a death, and the 10 seconds after it. */
const LATELY_MS = 25_000;

/**
 * How many servers wrote a heartbeat lately and have no connection any more: they were killed, or are ending. A killed process loses its
 * connections at once, long before its heartbeat is missed.
 */
export const LOST_SERVERS_SQL = `SELECT (SELECT COUNT(*) FROM instance WHERE last_seen > ${POSTGRES_NOW} - ${LATELY_MS})
  - (SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'waystation-listen') AS lost`;

const SESSIONS_SQL = `SELECT COUNT(*) AS sessions FROM pg_stat_activity
  WHERE datname = current_database() AND application_name IN ('waystation', 'waystation-listen')`;

/**
 * @param query sends a statement and returns its rows
 * @throws DomainError `storage_in_use` while a server is connected or was seen within the last minute
 */
export async function refuseWhileServersRun(
  query: (sql: string) => Promise<object[]>,
  hasInstances: boolean,
): Promise<void> {
  const isConnected = async () => {
    await query('SELECT pg_stat_clear_snapshot()'); // otherwise a transaction sees the same sessions until its end
    const [found] = (await query(SESSIONS_SQL)) as { sessions: unknown }[];
    return Number(found?.sessions) > 0;
  };
  if (await staysHeld(isConnected)) throw storageInUse('a server is connected to it; stop all instances first');
  if (!hasInstances) return;
  const sql = `SELECT host, pid, last_seen, ${POSTGRES_NOW} AS now FROM instance`;
  const seen = (await query(sql)) as Record<string, unknown>[];
  const fresh = seen.find(({ last_seen, now }) => Number(last_seen) > Number(now) - FRESH_MS);
  if (!fresh) return;
  const seconds = Math.max(0, Math.round((Number(fresh.now) - Number(fresh.last_seen)) / 1000));
  const who = `process ${String(fresh.pid)} on ${String(fresh.host)} was seen ${seconds} s ago`;
  throw storageInUse(`${who}; stop it, or if it was killed wait a minute`);
}

/** Whether a live program holds something, not just the connection of one that has just ended. */
export async function staysHeld(isHeld: () => Promise<boolean>): Promise<boolean> {
  const deadlineMs = performance.now() + LINGER_MS;
  while (await isHeld()) {
    if (performance.now() > deadlineMs) return true;
    await pause(LOOK_MS);
  }
  return false;
}
