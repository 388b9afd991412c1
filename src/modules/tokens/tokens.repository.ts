import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { AccessToken } from './access-token.entity.js';

/** Where a page of tokens begins: after the token with this age and id. */
export interface TokenCursor {
  createdAtMs: number;
  id: string;
}

const COLUMNS = 'id, token_hash, scope, name, agent_ids, created_at, expires_at';

@Injectable()
export class TokensRepository {
  constructor(private readonly database: Database) {}

  async insert(token: AccessToken): Promise<void> {
    const { id, token_hash, scope, name, agent_ids, created_at, expires_at } = token;
    await this.database.transaction((session) =>
      session.query(`INSERT INTO access_token (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)`, [
        id,
        token_hash,
        scope,
        name,
        agent_ids,
        created_at,
        expires_at,
      ]),
    );
  }

  async findByHash(tokenHash: string): Promise<AccessToken | null> {
    const sql = `SELECT ${COLUMNS} FROM access_token WHERE token_hash = $1`;
    const [row] = await this.database.read<AccessToken>(sql, [tokenHash]);
    return row ?? null;
  }

  /** The newest first. */
  async list(limit: number, after: TokenCursor | null): Promise<AccessToken[]> {
    const order = 'ORDER BY created_at DESC, id DESC';
    if (after === null) {
      return this.database.read(`SELECT ${COLUMNS} FROM access_token ${order} LIMIT $1`, [limit]);
    }
    const sql = `SELECT ${COLUMNS} FROM access_token WHERE (created_at, id) < ($1, $2) ${order} LIMIT $3`;
    return this.database.read(sql, [after.createdAtMs, after.id, limit]);
  }

  async count(): Promise<number> {
    const [row] = await this.database.read<{ total: number }>('SELECT COUNT(*) AS total FROM access_token');
    return Number(row?.total ?? 0);
  }

  /** Answers false when there was none. */
  async delete(id: string): Promise<boolean> {
    const rows = await this.database.transaction((session) =>
      session.query('DELETE FROM access_token WHERE id = $1 RETURNING id', [id]),
    );
    return rows.length > 0;
  }

  async deleteExpiredBefore(timeMs: number): Promise<void> {
    await this.database.transaction((session) =>
      session.query('DELETE FROM access_token WHERE expires_at < $1', [timeMs]),
    );
  }
}
