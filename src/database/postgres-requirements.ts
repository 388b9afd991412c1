import type pg from 'pg';
import { DomainError } from '../common/domain-error.js';
import { connectPostgres, type ConnectionOrder } from './postgres-connection.js';
import { NO_LIMITS } from './postgres-session.js';
import { placeOf } from './postgres-url.js';

/** Finds the PostgreSQL process behind each of two connections. */
const LOOKS = 5;

/** The fault of a database that cannot hold every text. */
export function encodingFault(encoding: string): { message: string; remedy: string } | null {
  if (encoding === 'UTF8') return null;
  return {
    message: `The database has the encoding ${encoding}.`,
    remedy: 'Make one WITH ENCODING UTF8 and move to it.',
  };
}

/**
 * @throws DomainError `wrong_encoding`, `storage_denied`, `storage_read_only` or `storage_pooled` if a server cannot run on it; or what
 * `connectPostgres` throws
 */
export async function assertMeetsRequirements(url: string): Promise<void> {
  const unfit = await requirementFaultOf(url);
  if (unfit) throw unfit;
}

/** Why a server cannot run on the database; null if it can. */
export async function requirementFaultOf(url: string): Promise<DomainError | null> {
  const order = { url, name: 'waystation-check', limits: NO_LIMITS };
  const client = await connectPostgres(order);
  try {
    const sql = `SELECT current_setting('server_encoding') AS encoding, current_setting('transaction_read_only') AS read_only, current_schema() AS schema`;
    const [found] = (await client.query<{ encoding: string; read_only: string; schema: string | null }>(sql)).rows;
    const fault = encodingFault(found!.encoding);
    if (fault) return new DomainError('invalid', 'wrong_encoding', `${fault.message} ${fault.remedy}`);
    if (found!.schema === null) return withoutSchema(url);
    if (found!.read_only === 'on') return readOnly(url);
    return (await isPooledByTransaction(client, order)) ? pooled(url) : null;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function readOnly(url: string): DomainError {
  const { server, database } = placeOf(url);
  const message = `The database ${database} at ${server} is read-only. Use the primary, or turn off default_transaction_read_only for it and its role.`;
  return new DomainError('unavailable', 'storage_read_only', message);
}

function withoutSchema(url: string): DomainError {
  const { user, database } = placeOf(url);
  const message = `The role ${user} sees no schema in the database ${database}. Make the one that its search_path names, or let the owner run GRANT CREATE, USAGE ON SCHEMA public TO "${user}".`;
  return new DomainError('unavailable', 'storage_denied', message);
}

function pooled(url: string): DomainError {
  const message = `The server at ${placeOf(url).server} gives each transaction another connection, as PgBouncer with pool_mode=transaction does. Waystation needs connections of its own: put the direct address of PostgreSQL into DATABASE_URL, or a pool with pool_mode=session.`;
  return new DomainError('unavailable', 'storage_pooled', message);
}

async function isPooledByTransaction(client: pg.Client, order: ConnectionOrder): Promise<boolean> {
  // A pooler invents the process id that it reports.
  if ((await backendOf(client)) === (client as unknown as { processID: number | null }).processID) return false;
  const other = await connectPostgres(order);
  try {
    const [own, ownOfOther] = [await backendOf(client), await backendOf(other)];
    for (let look = 0; look < LOOKS; look++) {
      const [now, nowOfOther] = [await backendOf(client), await backendOf(other)];
      if (now !== own || nowOfOther !== ownOfOther || now === nowOfOther) return true;
    }
    return false;
  } finally {
    await other.end().catch(() => undefined);
  }
}

async function backendOf(client: pg.Client): Promise<number> {
  return (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
}
