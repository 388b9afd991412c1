import { Injectable } from '@nestjs/common';
import { Database, type SqlSession, type SqlValue } from '../../database/database.js';
import type { ChannelType } from './channel-adapter.js';
import type { Channel } from './entities/channel.entity.js';

/** Where a page begins: after the channel with this age and id. */
export interface ChannelCursor {
  createdAtMs: number;
  id: string;
}

/** Columns that may change; the others are given once. */
export type ChannelChanges = Partial<Omit<Channel, 'id' | 'channel_type' | 'created_at'>>;

/** Tables whose rows belong to a channel. Lanes come first: whoever holds one may still write messages, which go after it. */
const PARTS = ['channel_agent', 'channel_session', 'channel_chat', 'channel_message', 'channel_code_try'];

@Injectable()
export class ChannelsRepository {
  constructor(private readonly database: Database) {}

  async insert(session: SqlSession, channel: Channel): Promise<void> {
    const columns = Object.keys(channel);
    const marks = columns.map((_, at) => `$${at + 1}`);
    await session.query(
      `INSERT INTO channel (${columns.join(', ')}) VALUES (${marks.join(', ')})`,
      Object.values(channel) as SqlValue[],
    );
  }

  /** The channel, which nobody else changes before the end of the transaction; null when there is none. */
  async lock(session: SqlSession, id: string): Promise<Channel | null> {
    const sql = 'UPDATE channel SET updated_at = updated_at WHERE id = $1 RETURNING *';
    const [row] = await session.query<Channel>(sql, [id]);
    return row ? toChannel(row) : null;
  }

  async update(session: SqlSession, id: string, changes: ChannelChanges): Promise<void> {
    const columns = Object.keys(changes);
    if (columns.length === 0) return;
    const assignments = columns.map((column, at) => `${column} = $${at + 1}`);
    await session.query(`UPDATE channel SET ${assignments.join(', ')} WHERE id = $${columns.length + 1}`, [
      ...(Object.values(changes) as SqlValue[]),
      id,
    ]);
  }

  /** Lets requests with this secret count beside those with the confirmed one; null ends that. Answers false when there is no such channel. */
  async storeFreshSecret(id: string, digest: string | null): Promise<boolean> {
    const rows = await this.database.transaction((session) =>
      session.query('UPDATE channel SET fresh_webhook_secret = $1 WHERE id = $2 RETURNING id', [digest, id]),
    );
    return rows.length > 0;
  }

  /** Stores what a registration led to. Answers false, and stores nothing, where the channel is gone or was set up otherwise meanwhile. */
  async settleRegistration(before: Channel, fresh: string, changes: ChannelChanges): Promise<boolean> {
    return this.database.transaction(async (session) => {
      const now = await this.lock(session, before.id);
      if (now === null || now.identity !== before.identity) return false;
      if (now.webhook_secret !== before.webhook_secret && now.webhook_secret !== fresh) return false;
      await this.update(session, before.id, { ...changes, fresh_webhook_secret: null });
      return true;
    });
  }

  /** With everything that belongs to it. Answers false when there was none. */
  async delete(session: SqlSession, id: string): Promise<boolean> {
    const rows = await session.query('DELETE FROM channel WHERE id = $1 RETURNING id', [id]);
    for (const table of PARTS) await session.query(`DELETE FROM ${table} WHERE channel_id = $1`, [id]);
    return rows.length > 0;
  }

  async isIdentityTaken(session: SqlSession, type: ChannelType, identity: string, exceptId: string): Promise<boolean> {
    const rows = await session.query('SELECT id FROM channel WHERE channel_type = $1 AND identity = $2 AND id <> $3', [
      type,
      identity,
      exceptId,
    ]);
    return rows.length > 0;
  }

  async find(id: string): Promise<Channel | null> {
    const [row] = await this.database.read<Channel>('SELECT * FROM channel WHERE id = $1', [id]);
    return row ? toChannel(row) : null;
  }

  async findByIdentities(type: ChannelType, identities: readonly string[]): Promise<Channel[]> {
    if (identities.length === 0) return [];
    const marks = identities.map((_, at) => `$${at + 2}`);
    const sql = `SELECT * FROM channel WHERE channel_type = $1 AND identity IN (${marks.join(', ')})`;
    return (await this.database.read<Channel>(sql, [type, ...identities])).map(toChannel);
  }

  /** @param digest of a webhook's secret, confirmed or waiting for it */
  async findByWebhookSecret(type: ChannelType, digest: string): Promise<Channel[]> {
    // Two queries and not an OR, so that each finds its index on both databases.
    const sql = `SELECT * FROM channel WHERE webhook_secret = $1 AND channel_type = $2
      UNION SELECT * FROM channel WHERE fresh_webhook_secret = $1 AND channel_type = $2`;
    return (await this.database.read<Channel>(sql, [digest, type])).map(toChannel);
  }

  /** Whether there is any channel of the platform. */
  async hasType(type: ChannelType): Promise<boolean> {
    const rows = await this.database.read('SELECT 1 FROM channel WHERE channel_type = $1 LIMIT 1', [type]);
    return rows.length > 0;
  }

  /** The oldest first. */
  async findByType(type: ChannelType, limit: number): Promise<Channel[]> {
    const sql = 'SELECT * FROM channel WHERE channel_type = $1 ORDER BY created_at, id LIMIT $2';
    return (await this.database.read<Channel>(sql, [type, limit])).map(toChannel);
  }

  /** The newest first. */
  async list(limit: number, after: ChannelCursor | null): Promise<Channel[]> {
    const order = 'ORDER BY created_at DESC, id DESC';
    const rows =
      after === null
        ? this.database.read<Channel>(`SELECT * FROM channel ${order} LIMIT $1`, [limit])
        : this.database.read<Channel>(`SELECT * FROM channel WHERE (created_at, id) < ($1, $2) ${order} LIMIT $3`, [
            after.createdAtMs,
            after.id,
            limit,
          ]);
    return (await rows).map(toChannel);
  }

  async count(): Promise<number> {
    const [row] = await this.database.read<{ total: number }>('SELECT COUNT(*) AS total FROM channel');
    return Number(row?.total ?? 0);
  }
}

/** SQLite has no booleans. */
export function toChannel(row: Channel): Channel {
  return { ...row, enabled: Boolean(row.enabled), verified: Boolean(row.verified) };
}
