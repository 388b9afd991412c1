import { Injectable } from '@nestjs/common';
import { Database, type SqlSession } from '../../../database/database.js';
import type { NewMessage } from './inbound-row.js';

/** What platforms say of messages of ours that they took and could not deliver. */
@Injectable()
export class DeliveryFailuresRepository {
  constructor(private readonly database: Database) {}

  /** @param row of the failure, stored before: where no message has its id yet, whoever notes that one was sent finds it */
  async note(session: SqlSession, row: NewMessage, nowMs: number): Promise<void> {
    if ((await this.failSent(session, row, nowMs)) || this.database.dialect !== 'postgres') return;
    // That may be noted just now, in a transaction that does not see this one: once it has ended, its message is found.
    await session.query(
      `SELECT 1 AS held FROM channel_message
       WHERE channel_id = $1 AND chat_id = $2 AND direction = 'out' AND status = 'sending' ORDER BY seq FOR UPDATE`,
      [row.channel_id, row.chat_id],
    );
    await this.failSent(session, row, nowMs);
  }

  /** @returns false where no message has this id */
  private async failSent(session: SqlSession, row: NewMessage, nowMs: number): Promise<boolean> {
    const rows = await session.query(
      `UPDATE channel_message SET status = 'failed', reason = $1, updated_at = $2
       WHERE channel_id = $3 AND external_id = $4 AND direction = 'out' AND status IN ('sending', 'sent', 'unknown')
       RETURNING seq`,
      [row.reason, nowMs, row.channel_id, row.external_id],
    );
    return rows.length > 0;
  }
}
