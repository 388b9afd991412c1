import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { speaksFor } from '../../common/bound-agents.js';
import { Clock } from '../../common/clock.js';
import { newId, randomText } from '../../common/ids.js';
import { invalidToken } from '../../common/invalid-token.js';
import { decodeCursor, toPage, type Page } from '../../common/pagination.js';
import { looksLikeOtherWay, type Principal, type RunOfToken, type Scope } from '../../common/principal.js';
import { ChangeFeed } from '../../database/change-feed.js';
import { AccessToken } from './access-token.entity.js';
import {
  agentNotAllowed,
  agentsNeedScope,
  createdByToken,
  nameReserved,
  notNarrower,
  runNeedsRunnerScope,
  unknownToken,
} from './tokens.errors.js';
import { TokenUsesService } from './token-uses.service.js';
import { TokensRepository } from './tokens.repository.js';

const TOKEN = /^wst_[\w-]{43}$/;
const TOKEN_BYTES = 32;
/** Scopes that may be bound to agents. */
const BOUND_SCOPES: readonly Scope[] = ['runner', 'reader'];
const LIST = 'tokens';
/** Expired tokens stay listed for a day, so that people can see why a program is refused. */
const KEPT_AFTER_EXPIRY_MS = 24 * 3600 * 1000;

export interface TokenOrder {
  scope: Scope;
  name: string | null;
  /** The only agents for which the holder may report and read; null means any. */
  agentIds: readonly string[] | null;
  /** Seconds; null means until revoked. */
  expiresInSeconds: number | null;
  /** The only run that the holder may report for; null means any. */
  run: RunOfToken | null;
}

export interface MintedToken {
  record: AccessToken;
  /** The token itself: it cannot be retrieved again. */
  token: string;
}

/** Creates, lists, revokes and recognises tokens other than the machine secret. */
@Injectable()
export class TokensService {
  constructor(
    private readonly repository: TokensRepository,
    private readonly clock: Clock,
    private readonly feed: ChangeFeed,
    private readonly uses: TokenUsesService,
  ) {}

  /**
   * A runner token's token is never wider: it has scope runner, only its parent's agents, and ends with its parent.
   * @throws DomainError `invalid` if agents are named for a scope other than runner and reader, or a run for another than runner, and for a
   * name that the records use for decisions without a token; `forbidden` if the creator may not create such a token; `unauthenticated` if
   * it has been revoked meanwhile
   */
  async mint(order: TokenOrder, creator: Principal): Promise<MintedToken> {
    if (order.name !== null && looksLikeOtherWay(order.name)) throw nameReserved();
    if (order.agentIds !== null && !BOUND_SCOPES.includes(order.scope)) throw agentsNeedScope();
    if (order.run !== null && order.scope !== 'runner') throw runNeedsRunnerScope();
    const parent = creator.scope === 'admin' ? null : await this.parentFor(order, creator);
    const token = `wst_${randomText(TOKEN_BYTES)}`;
    const nowMs = this.clock.nowMs();
    const record: AccessToken = {
      id: newId(),
      token_hash: hashOf(token),
      scope: order.scope,
      name: order.name,
      agent_ids: order.agentIds === null ? (parent?.agent_ids ?? null) : JSON.stringify(order.agentIds),
      created_at: nowMs,
      expires_at: earlierOf(
        order.expiresInSeconds === null ? null : nowMs + order.expiresInSeconds * 1000,
        parent?.expires_at ?? null,
      ),
      parent_id: parent?.id ?? null,
      created_by: creator.tokenId,
      run: order.run === null ? null : JSON.stringify(order.run),
      last_used_at: null,
    };
    await this.repository.deleteExpiredBefore(nowMs - KEPT_AFTER_EXPIRY_MS);
    if (!(await this.repository.insert(record))) throw invalidToken();
    return { record, token };
  }

  /** Newest first. @throws DomainError `invalid` for a cursor of another list. */
  async list(limit: number, cursor: string | null): Promise<Page<AccessToken>> {
    const key = cursor === null ? null : decodeCursor(LIST, cursor, ['bigint', 'text']);
    const after = key === null ? null : { createdAtMs: Number(key[0]), id: String(key[1]) };
    const rows = await this.repository.list(limit + 1, after);
    return toPage(rows, limit, LIST, ({ created_at, id }) => [created_at, id]);
  }

  count(): Promise<number> {
    return this.repository.count();
  }

  /**
   * Revokes the token and those that end with it, on every instance at once.
   * @param withMade also all other tokens it made, directly or indirectly
   * @throws DomainError `not_found`, also for a runner token that did not create it
   */
  async revoke(id: string, caller: Principal, withMade: boolean): Promise<void> {
    // No id contains U+0000, and PostgreSQL rejects it as a value.
    if (id.includes('\0')) throw unknownToken(id);
    const parentId = caller.scope === 'admin' ? null : caller.tokenId;
    const deleted = await this.repository.delete(id, parentId, withMade && parentId === null);
    if (deleted.length === 0) throw unknownToken(id);
    for (const one of deleted) this.feed.tellRevoked(one);
  }

  /** The holder of the token; null if it is unknown, expired or revoked. Queries the storage only for texts that look like a token. */
  findHolder(token: string): Promise<Principal | null> | null {
    return TOKEN.test(token) ? this.lookUp(token) : null;
  }

  private async parentFor({ scope, agentIds }: TokenOrder, creator: Principal): Promise<AccessToken> {
    if (scope !== 'runner') throw notNarrower(scope);
    const parent = await this.repository.findById(creator.tokenId ?? '');
    if (parent === null) throw invalidToken();
    if (parent.parent_id !== null || parent.run !== null) throw createdByToken();
    const foreign = agentIds?.find((id) => creator.agentIds !== null && !speaksFor(creator.agentIds, id));
    if (foreign !== undefined) throw agentNotAllowed(foreign);
    return parent;
  }

  private async lookUp(token: string): Promise<Principal | null> {
    const found = await this.repository.findByHash(hashOf(token));
    if (found === null || (found.expires_at !== null && found.expires_at <= this.clock.nowMs())) return null;
    this.uses.note(found);
    return {
      scope: found.scope as Scope,
      tokenId: found.id,
      ...(found.parent_id !== null && { parentTokenId: found.parent_id }),
      agentIds: found.agent_ids === null ? null : (JSON.parse(found.agent_ids) as string[]),
      run: found.run === null ? null : (JSON.parse(found.run) as RunOfToken),
      name: found.name ?? `token ${found.id}`,
    };
  }
}

/** Null means never. */
function earlierOf(oneMs: number | null, otherMs: number | null): number | null {
  if (oneMs === null || otherMs === null) return oneMs ?? otherMs;
  return Math.min(Number(oneMs), Number(otherMs));
}

function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}
