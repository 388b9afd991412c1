import pg from 'pg';
import { newId } from '../common/ids.js';
import { LocalChangeFeed } from './change-feed.js';
import { KEEP_ALIVE_MS } from './postgres-database.js';

const CHANNEL = 'waystation_threads';
const REVOKED_CHANNEL = 'waystation_revoked';
/** A notification carries less than 8,000 bytes. */
const MAX_PAYLOAD = 7_000;
const POLL_MS = 2_000;
const RECONNECT_MS = 1_000;

/** LISTEN/NOTIFY between instances, plus slow polling, in case a broken connection lost a notification. */
export class PostgresChangeFeed extends LocalChangeFeed {
  private client: pg.Client | null = null;
  /** Marks what this instance has told, which comes back to it. */
  private readonly ownId = newId();
  private isClosed = false;
  private reconnectTimer: NodeJS.Timeout | null = null;
  private readonly pollTimer = setInterval(() => this.wakeAll(), POLL_MS).unref();

  constructor(
    private readonly url: string,
    private readonly onError: (error: Error) => void,
  ) {
    super();
  }

  /** @throws when the first connection fails; later ones are retried. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'waystation-listen',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ channel, payload = '' }) => this.receive(channel, payload));
    this.client = client;
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}; LISTEN ${REVOKED_CHANNEL}`);
    this.wakeAll();
  }

  override announcement(threadPks: readonly number[]): string {
    const payloads: string[] = [];
    let payload = '';
    for (const pk of threadPks) {
      if (payload.length > MAX_PAYLOAD) {
        payloads.push(payload);
        payload = '';
      }
      payload += payload === '' ? pk : `,${pk}`;
    }
    if (payload !== '') payloads.push(payload);
    return payloads.map((text) => `NOTIFY ${CHANNEL}, '${text}';`).join('');
  }

  override tellRevoked(id: string): void {
    super.tellRevoked(id);
    // Whoever misses it looks again with the next ping.
    this.client?.query('SELECT pg_notify($1, $2)', [REVOKED_CHANNEL, `${this.ownId} ${id}`]).catch(() => undefined);
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.pollTimer);
    if (this.reconnectTimer) clearTimeout(this.reconnectTimer);
    await super.close();
    await this.client?.end().catch(() => undefined);
  }

  private receive(channel: string, payload: string): void {
    if (channel === CHANNEL) this.publish(payload.split(',').map(Number));
    else {
      const [by, id = ''] = payload.split(' ');
      if (by !== this.ownId) super.tellRevoked(id);
    }
  }

  private lost(client: pg.Client, error?: Error): void {
    if (this.isClosed || client !== this.client) return;
    this.client = null;
    if (error) this.onError(error);
    client.end().catch(() => undefined);
    this.reconnectTimer = setTimeout(() => {
      this.open().catch((fault: Error) => this.lost(this.client ?? client, fault));
    }, RECONNECT_MS).unref();
  }
}
