import pg from 'pg';
import { LocalChangeFeed } from './change-feed.js';
import { KEEP_ALIVE_MS } from './postgres-database.js';

const CHANNEL = 'waystation_threads';
/** A notification carries less than 8,000 bytes. */
const MAX_PAYLOAD = 7_000;
const POLL_MS = 2_000;
const RECONNECT_MS = 1_000;

/** LISTEN/NOTIFY between instances, plus slow polling, in case a broken connection lost a notification. */
export class PostgresChangeFeed extends LocalChangeFeed {
  private client: pg.Client | null = null;
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
    client.on('notification', ({ payload }) => this.receive(payload ?? ''));
    this.client = client;
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
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

  override async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.pollTimer);
    if (this.reconnectTimer) clearTimeout(this.reconnectTimer);
    await super.close();
    await this.client?.end().catch(() => undefined);
  }

  private receive(payload: string): void {
    this.publish(payload.split(',').map(Number));
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
