import { Injectable } from '@nestjs/common';
import { InjectRepository } from '../../database/typeorm.module.js';
import { Repository } from 'typeorm';
import { PortDataSource } from '../../database/port-data-source.js';
import { AccessToken } from './access-token.entity.js';

/** The token before a page. */
export interface TokenCursor {
  createdAtMs: number;
  id: string;
}

/** A token created while its parent is being revoked may remain in the table, but is not found. */
const BY_HASH = `SELECT * FROM access_token token WHERE token_hash = $1
  AND (parent_id IS NULL OR EXISTS (SELECT 1 FROM access_token parent WHERE parent.id = token.parent_id))`;

const ATTRIBUTE = 'UPDATE access_token SET created_by = $1 WHERE created_by = $2';

const USE = 'UPDATE access_token SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $3)';

@Injectable()
export class TokensRepository {
  constructor(
    @InjectRepository(AccessToken) private readonly tokens: Repository<AccessToken>,
    private readonly entities: PortDataSource,
  ) {}

  /** @returns false if the token that creates it has been revoked */
  insert(token: AccessToken): Promise<boolean> {
    // A revocation of the creator waits for this lock, and then finds the new token.
    const lock = this.entities.options.type === 'postgres' ? 'FOR SHARE' : '';
    const creator = `SELECT id FROM access_token WHERE id = $1 ${lock}`;
    return this.entities.write(async (manager, session) => {
      const { created_by: id } = token;
      if (id !== null && (await session.query(creator, [id])).length === 0) return false;
      await manager.insert(AccessToken, token);
      return true;
    });
  }

  /** Runs with every request, so it is plain SQL: building the query would take four times as long as running it. */
  async findByHash(tokenHash: string): Promise<AccessToken | null> {
    const [token] = await this.tokens.query<AccessToken[]>(BY_HASH, [tokenHash]);
    return token ?? null;
  }

  findById(id: string): Promise<AccessToken | null> {
    return this.tokens.findOneBy({ id });
  }

  /** Newest first. */
  list(limit: number, after: TokenCursor | null): Promise<AccessToken[]> {
    const page = this.tokens
      .createQueryBuilder('token')
      .orderBy({ 'token.created_at': 'DESC', 'token.id': 'DESC' })
      .limit(limit);
    if (after !== null) page.where('(token.created_at, token.id) < (:createdAtMs, :id)', after);
    return page.getMany();
  }

  count(): Promise<number> {
    return this.tokens.count();
  }

  /**
   * Deletes the token and those that end with it.
   * @param parentId only if this one is its parent
   * @param withMade also all others that it made, directly or indirectly; otherwise they are attributed to its own maker, so that they can
   * still be found
   * @returns the ids of deleted tokens; none if there was no such token
   */
  delete(id: string, parentId: string | null, withMade: boolean): Promise<string[]> {
    return this.entities.write(async (_, session) => {
      const deleted: string[] = [];
      const due = [id];
      for (const one of due) {
        const [token] = await session.query<{ created_by: string | null }>(
          'DELETE FROM access_token WHERE id = $1 AND (CAST($2 AS text) IS NULL OR parent_id = $2) RETURNING created_by',
          [one, one === id ? parentId : null],
        );
        if (token === undefined) continue;
        deleted.push(one);
        const ending = `SELECT id FROM access_token WHERE ${withMade ? 'created_by' : 'parent_id'} = $1`;
        due.push(...(await session.query<{ id: string }>(ending, [one])).map((row) => row.id));
        if (!withMade) await session.query(ATTRIBUTE, [token.created_by, one]);
      }
      return deleted;
    });
  }

  /** Stores when tokens were used, unless a later use is stored. @param uses ids with milliseconds since 1970 */
  async storeUses(uses: readonly (readonly [id: string, usedAtMs: number])[]): Promise<void> {
    // Instances that lock rows in the same order never wait for each other in a circle.
    const sorted = [...uses].sort(([one], [other]) => (one < other ? -1 : 1));
    await this.entities.write(async (manager) => {
      for (const [id, usedAtMs] of sorted) await manager.query(USE, [usedAtMs, id, usedAtMs]);
    });
  }

  /** Keeps tokens whose created tokens still exist, to tell who made those. */
  async deleteExpiredBefore(timeMs: number): Promise<void> {
    await this.tokens
      .createQueryBuilder()
      .delete()
      .where('expires_at < :timeMs', { timeMs })
      .andWhere('id NOT IN (SELECT created_by FROM access_token WHERE created_by IS NOT NULL)')
      .execute();
  }
}
