import pg from 'pg';
import { newId } from '../common/ids.js';
import { ChangeFeed } from './change-feed.js';
import { connectionOptions } from './postgres-connection.js';
import { NO_LIMITS, prepareSession } from './postgres-session.js';
import { sqlLiteral } from './sql-literal.js';

/** The connection's name in `pg_stat_activity`. */
const NAME = 'waystation-listen';
const CHANNEL = 'waystation_threads';
const REVOKED_CHANNEL = 'waystation_revoked';
/** A notification carries less than 8,000 bytes. */
const MAX_PAYLOAD = 7_000;
const POLL_MS = 2_000;
const RECONNECT_MS = 1_000;
/** A connection that is silent for this long is dead. */
const SILENCE_MS = 10_000;

/**
 * LISTEN/NOTIFY between instances, plus slow polling in case a broken connection lost a notification. NOTIFY is sent outside the
 * transaction it reports: PostgreSQL commits transactions with a NOTIFY one at a time.
 */
export class PostgresChangeFeed extends ChangeFeed {
  private client: pg.Client | null = null;
  private isListening = false;
  /** Marks this instance's own notifications, which it receives too. */
  private readonly ownId = newId();
  /** Changes not yet sent to the other instances. */
  private readonly changed = new Set<number>();
  private readonly revoked = new Set<string>();
  private telling: Promise<void> | null = null;
  private isClosed = false;
  private reconnectTimer: NodeJS.Timeout | null = null;
  private readonly pollTimer = setInterval(() => this.wakeAll(), POLL_MS).unref();

  constructor(
    private readonly url: string,
    private readonly onError: (error: Error) => void,
  ) {
    super();
  }

  /** @throws if the first connection fails; later ones are retried */
  async open(): Promise<void> {
    const client = new pg.Client({ ...connectionOptions({ url: this.url, name: NAME }), query_timeout: SILENCE_MS });
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client));
    client.on('notification', (news) => this.receive(news));
    this.client = client;
    await client.connect();
    await prepareSession(client, NAME, NO_LIMITS);
    await client.query(`LISTEN ${CHANNEL}; LISTEN ${REVOKED_CHANNEL}`);
    this.isListening = client === this.client; // it may have ended with that response
    this.wakeAll();
  }

  override publish(threadPks: readonly number[]): void {
    super.publish(threadPks);
    if (!this.isListening) return; // the others poll
    for (const pk of threadPks) this.changed.add(pk);
    this.tell();
  }

  override tellRevoked(id: string): void {
    super.tellRevoked(id);
    // An instance that misses it finds out at the next ping.
    if (!this.isListening) return;
    this.revoked.add(id);
    this.tell();
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.pollTimer);
    if (this.reconnectTimer) clearTimeout(this.reconnectTimer);
    await super.close();
    await this.telling;
    await this.client?.end().catch(() => undefined);
  }

  /** Each notification carries everything that changed since the previous one. */
  private tell(): void {
    this.telling ??= this.tellOthers().finally(() => {
      this.telling = null;
      if (this.isListening && this.changed.size + this.revoked.size > 0) this.tell();
    });
  }

  private async tellOthers(): Promise<void> {
    while (this.client !== null && this.changed.size + this.revoked.size > 0) {
      const client = this.client;
      const news = payloadsOf(this.changed).map((payload) => notify(CHANNEL, payload));
      for (const id of this.revoked) news.push(notify(REVOKED_CHANNEL, `${this.ownId} ${id}`));
      this.changed.clear();
      this.revoked.clear();
      await client.query(news.join('')).catch((error: Error) => this.lost(client, error));
    }
  }

  private receive({ channel, payload = '', processId }: pg.Notification): void {
    if (channel === CHANNEL) {
      const isOwn = processId === (this.client as { processID?: number } | null)?.processID;
      if (!isOwn) super.publish(payload.split(',').map(Number));
      return;
    }
    const [by, id = ''] = payload.split(' ');
    if (by !== this.ownId) super.tellRevoked(id);
  }

  private lost(client: pg.Client, error?: Error): void {
    if (this.isClosed || client !== this.client) return;
    this.client = null;
    this.isListening = false;
    this.changed.clear();
    this.revoked.clear();
    if (error) this.onError(error);
    client.end().catch(() => undefined);
    this.reconnectTimer = setTimeout(() => {
      this.open().catch((fault: Error) => this.lost(this.client ?? client, fault));
    }, RECONNECT_MS).unref();
  }
}

function notify(channel: string, payload: string): string {
  return `NOTIFY ${channel}, ${sqlLiteral(payload, 'postgres')};`;
}

function payloadsOf(threadPks: Iterable<number>): string[] {
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
  return payloads;
}
