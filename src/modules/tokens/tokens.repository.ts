import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { AccessToken } from './access-token.entity.js';

/** Where a page of tokens begins: after the token with this age and id. */
export interface TokenCursor {
  createdAtMs: number;
  id: string;
}

const BY_HASH = 'SELECT * FROM access_token WHERE token_hash = $1';

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

  /** Returns false if there was none. */
  async delete(id: string): Promise<boolean> {
    const { affected } = await this.tokens.delete({ id });
    return affected !== 0;
  }

  async deleteExpiredBefore(timeMs: number): Promise<void> {
    await this.tokens.delete({ expires_at: LessThan(timeMs) });
  }
}
