import pg from 'pg';
import { connectionFault } from './connection-fault.js';
import { prepareSession, type SessionLimits } from './postgres-session.js';
import { connectionUrl, placeOf } from './postgres-url.js';

/** Time until keep-alive probes begin; the kernel's default is two hours. */
const KEEP_ALIVE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;

export interface ConnectionOrder {
  url: string;
  name: string;
  limits: SessionLimits;
}

/** The options of every PostgreSQL connection. */
export function connectionOptions({ url, name }: Pick<ConnectionOrder, 'url' | 'name'>): pg.ClientConfig {
  return {
    connectionString: connectionUrl(url),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** The pool awaits the promise, although its types do not say so. */
type AwaitingPool = Omit<pg.PoolConfig, 'onConnect'> & { onConnect: (client: pg.ClientBase) => Promise<void> };

/** The same for a pool, which prepares each connection before it hands it out. */
export function poolOptions({ url, name, limits }: ConnectionOrder): AwaitingPool {
  return { ...connectionOptions({ url, name }), onConnect: (client) => prepareSession(client, name, limits) };
}

/**
 * Opens a single connection.
 * @param further options of the driver
 * @throws DomainError with advice, or the driver's error
 */
export async function connectPostgres(order: ConnectionOrder, further: pg.ClientConfig = {}): Promise<pg.Client> {
  placeOf(order.url);
  const client = new pg.Client({ ...connectionOptions(order), ...further });
  client.on('error', () => undefined); // the running query fails with it
  try {
    await client.connect();
    await prepareSession(client, order.name, order.limits);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw connectionFault(error, order.url);
  }
}
