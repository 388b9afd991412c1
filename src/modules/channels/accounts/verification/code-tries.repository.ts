import { Injectable } from '@nestjs/common';
import { Database, type SqlSession } from '../../../../database/database.js';
import type { CodeTrier, TriesBefore } from './verification-code.js';

/** Wrong tries at channels' codes, by person. The channel must be locked, so that every try counts. */
@Injectable()
export class CodeTriesRepository {
  constructor(private readonly database: Database) {}

  async count(session: SqlSession, channelId: string, { chatId, userId }: CodeTrier): Promise<TriesBefore> {
    const rows = await session.query<{ chat_id: string; tries: number }>(
      'SELECT chat_id, tries FROM channel_code_try WHERE channel_id = $1 AND user_id = $2',
      [channelId, userId],
    );
    const sumOf = (some: typeof rows) => some.reduce((sum, { tries }) => sum + Number(tries), 0);
    return { inChat: sumOf(rows.filter(({ chat_id }) => chat_id === chatId)), inAllChats: sumOf(rows) };
  }

  async note(session: SqlSession, channelId: string, { chatId, userId }: CodeTrier): Promise<void> {
    await session.query(
      `INSERT INTO channel_code_try (channel_id, chat_id, user_id, tries) VALUES ($1, $2, $3, 1)
       ON CONFLICT (channel_id, chat_id, user_id) DO UPDATE SET tries = channel_code_try.tries + 1`,
      [channelId, chatId, userId],
    );
  }

  /** Deletes the tries at the channel's former code. */
  async forget(session: SqlSession, channelId: string): Promise<void> {
    await session.query('DELETE FROM channel_code_try WHERE channel_id = $1', [channelId]);
  }

  /** Deletes tries at codes that are used, or had expired by then. */
  async forgetOld(expiredByMs: number): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        `DELETE FROM channel_code_try WHERE channel_id NOT IN (
           SELECT id FROM channel WHERE code_digest IS NOT NULL AND code_expires_at > $1)`,
        [expiredByMs],
      ),
    );
  }
}
