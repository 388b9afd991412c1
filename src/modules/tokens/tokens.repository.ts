import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { AccessToken } from './access-token.entity.js';

/** Where a page of tokens begins: after the token with this age and id. */
export interface TokenCursor {
  createdAtMs: number;
  id: string;
}

/** A token whose parent is revoked at the moment at which it is created can outlive it in the table, but is not found. */
const BY_HASH = `SELECT * FROM access_token token WHERE token_hash = $1
  AND (parent_id IS NULL OR EXISTS (SELECT 1 FROM access_token parent WHERE parent.id = token.parent_id))`;

@Injectable()
export class TokensRepository {
  constructor(@InjectRepository(AccessToken) private readonly tokens: Repository<AccessToken>) {}

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

  /** Deletes the token and those that it has created. Returns false if there was none. @param parentId only if this one has created it */
  async delete(id: string, parentId: string | null): Promise<boolean> {
    const { affected } = await this.tokens.delete(parentId === null ? { id } : { id, parent_id: parentId });
    if (affected === 0) return false;
    await this.tokens.delete({ parent_id: id });
    return true;
  }

  async deleteExpiredBefore(timeMs: number): Promise<void> {
    await this.tokens.delete({ expires_at: LessThan(timeMs) });
  }
}
