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

/** All tokens that a token created, directly or indirectly. */
const MADE_BY = `WITH RECURSIVE made (id) AS (
  SELECT id FROM access_token WHERE created_by = $1
  UNION SELECT token.id FROM access_token token JOIN made ON token.created_by = made.id)
  SELECT id FROM made`;

const USE = 'UPDATE access_token SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $3)';

@Injectable()
export class TokensRepository {
  constructor(
    @InjectRepository(AccessToken) private readonly tokens: Repository<AccessToken>,
    private readonly entities: PortDataSource,
  ) {}

  async insert(token: AccessToken): Promise<void> {
    await this.tokens.insert(token);
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

  async findMadeBy(id: string): Promise<string[]> {
    const made = await this.tokens.query<{ id: string }[]>(MADE_BY, [id]);
    return made.map((one) => one.id);
  }

  /**
   * Deletes the token and those that end with it. Its other tokens are attributed to its own maker, so that they can still be found.
   * Returns false if there was none.
   * @param parentId only if this one is its parent
   */
  async delete(id: string, parentId: string | null): Promise<boolean> {
    const known = await this.findById(id);
    if (known === null || (parentId !== null && known.parent_id !== parentId)) return false;
    await this.tokens.update({ created_by: id }, { created_by: known.created_by });
    const { affected } = await this.tokens.delete({ id });
    await this.tokens.delete({ parent_id: id });
    return affected !== 0;
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
