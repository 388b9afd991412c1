import { Injectable } from '@nestjs/common';
import { Database, type SqlValue } from '../../../database/database.js';
import type { ChannelMessage } from '../entities/channel-message.entity.js';

export interface MessageFilter {
  /** Null for both ways. */
  direction: 'in' | 'out' | null;
  /** Null for every status. */
  status: string | null;
}

/** A row of the log, as far as it tells whether it may be forgotten. */
export type AgedMessage = Pick<ChannelMessage, 'seq' | 'status' | 'created_at'>;

@Injectable()
export class ChannelMessagesRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. @param before the place in the log before which the page begins; null for the end of the log */
  list(channelId: string, filter: MessageFilter, before: number | null, limit: number): Promise<ChannelMessage[]> {
    const { conditions, params } = conditionsOf(channelId, filter);
    if (before !== null) conditions.push(`seq < CAST($${params.push(before)} AS bigint)`);
    const sql = `SELECT * FROM channel_message WHERE ${conditions.join(' AND ')} ORDER BY seq DESC LIMIT $${params.push(limit)}`;
    return this.database.read<ChannelMessage>(sql, params);
  }

  async count(channelId: string, filter: MessageFilter): Promise<number> {
    const { conditions, params } = conditionsOf(channelId, filter);
    const sql = `SELECT COUNT(*) AS total FROM channel_message WHERE ${conditions.join(' AND ')}`;
    const [row] = await this.database.read<{ total: number }>(sql, params);
    return Number(row?.total ?? 0);
  }

  /** Rows of all channels in the order of the log, behind a place in it. */
  findAfter(seq: number, limit: number): Promise<AgedMessage[]> {
    const sql = 'SELECT seq, status, created_at FROM channel_message WHERE seq > $1 ORDER BY seq LIMIT $2';
    return this.database.read<AgedMessage>(sql, [seq, limit]);
  }

  /** By their places in the log. */
  async delete(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return;
    await this.database.transaction((session) =>
      session.query(`DELETE FROM channel_message WHERE seq IN (${seqs.map(Number).join(', ')})`),
    );
  }

  /** Forgets idle sessions begun before then of which the log holds nothing any more. A thread that goes on begins them anew. */
  async deleteIdleSessions(beforeMs: number): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        `DELETE FROM channel_session WHERE work_at IS NULL AND created_at < $1
         AND NOT EXISTS (SELECT 1 FROM channel_message WHERE channel_message.thread_id = channel_session.thread_id)`,
        [beforeMs],
      ),
    );
  }
}

function conditionsOf(channelId: string, { direction, status }: MessageFilter) {
  const params: SqlValue[] = [channelId];
  const conditions = ['channel_id = $1'];
  if (direction !== null) conditions.push(`direction = $${params.push(direction)}`);
  if (status !== null) conditions.push(`status = $${params.push(status)}`);
  return { conditions, params };
}
