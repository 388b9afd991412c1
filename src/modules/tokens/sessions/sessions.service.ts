import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { isSameSecret } from '../../../common/constant-time.js';
import { invalidField } from '../../../common/domain-error.js';
import { newId, randomText } from '../../../common/ids.js';
import { Logger } from '../../../common/logger.js';
import { decodeCursor, toPage, type Page } from '../../../common/pagination.js';
import {
  looksLikeRule,
  RULE_DECIDER,
  SESSION_SCOPES,
  type Principal,
  type SessionScope,
} from '../../../common/principal.js';
import { ServerConfig } from '../../../config/server.config.js';
import { FailureLimiter } from '../../../common/failure-limiter.js';
import { ChangeFeed } from '../../../database/change-feed.js';
import type { ConsoleCode } from './console-code.entity.js';
import type { ConsoleSession } from './console-session.entity.js';
import { checkIsJson, checkOwnPage } from './page-request.js';
import { SessionCookie } from './session-cookie.js';
import {
  invalidCode,
  keyRequired,
  madeInSession,
  noSession,
  scopeAbove,
  tooManyCodes,
  unknownSession,
} from './sessions.errors.js';
import { SessionsRepository, type Moments } from './sessions.repository.js';

const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;
const LIST = 'console-sessions';
const KEY_HEADER = 'x-waystation-console';
const IDLE_MS = 12 * 3600 * 1000;
const LONGEST_MS = 7 * 24 * 3600 * 1000;
/** How late a session's last use may be stored, so that most reads need no write. */
const USE_NOTED_EVERY_MS = 5 * 60 * 1000;
const WRONG_CODES_PER_MINUTE = 20;
/** How long the page that began a session can request the response again, in case a reload lost it. */
const REPEAT_MS = 60_000;

export interface SignIn {
  code: string;
  /** A secret of this page, with which it may repeat a lost request; null without. */
  proof: string | null;
}

export interface CodeOrder {
  /** Null for the maker's maximum. */
  scope: SessionScope | null;
  /** The name of the person who will sign in; null for the token's name. */
  name: string | null;
  expiresInSeconds: number;
}

/** An unused code; it cannot be retrieved again. */
export interface MintedCode {
  code: string;
  expiresAtMs: number;
}

/** A session and when it ends if unused. */
export interface OpenSession {
  record: ConsoleSession;
  idleAtMs: number;
}

/** The session's two secrets. */
interface Halves {
  cookie: string;
  key: string;
}

/** A new session. Its secrets cannot be retrieved again. */
export interface BegunSession extends OpenSession, Halves {}

/** Signs people in to the console, recognises them, and ends their sessions. */
@Injectable()
export class SessionsService {
  private readonly wrongCodes: FailureLimiter;

  constructor(
    private readonly repository: SessionsRepository,
    private readonly cookie: SessionCookie,
    private readonly server: ServerConfig,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly feed: ChangeFeed,
  ) {
    this.wrongCodes = new FailureLimiter(clock, WRONG_CODES_PER_MINUTE);
  }

  /**
   * @throws DomainError `forbidden` for a scope above the maker's, and in a session, which could renew itself forever; `invalid` for a name
   * that looks like a rule's
   */
  async mintCode({ scope, name, expiresInSeconds }: CodeOrder, maker: Principal): Promise<MintedCode> {
    if (maker.sessionId !== undefined) throw madeInSession();
    const own = maker.scope as SessionScope;
    if (scope !== null && rankOf(scope) > rankOf(own)) throw scopeAbove(scope, own);
    if (looksLikeRule(name ?? maker.name)) throw invalidField('name', `must not begin with ${RULE_DECIDER}`);
    const code = randomText(SECRET_BYTES);
    const moments = this.moments();
    const expiresAtMs = moments.nowMs + expiresInSeconds * 1000;
    await this.repository.deleteEnded(moments);
    await this.repository.insertCode({
      code_hash: this.cookie.digestOf(code),
      scope: scope ?? own,
      name: name ?? maker.name,
      token_id: maker.tokenId,
      created_at: moments.nowMs,
      expires_at: expiresAtMs,
    });
    return { code, expiresAtMs };
  }

  /**
   * Begins the code's session on any instance. With the same proof, the same page gets it again for a minute.
   * @param address of the client, for counting wrong codes
   * @throws DomainError `unauthenticated` or `rate_limited` for a wrong, used or expired code
   */
  async signIn({ code, proof }: SignIn, address: string | undefined): Promise<BegunSession> {
    const halves = proof === null ? randomHalves() : this.cookie.halvesOf(code, proof);
    let record = SECRET.test(code) ? await this.exchange(this.cookie.digestOf(code), halves) : null;
    if (record === null && proof !== null) record = await this.findBegun(halves.key);
    if (record !== null) return { ...openSession(record), ...halves };
    const retryAfterSeconds = this.wrongCodes.note(address);
    throw retryAfterSeconds === null ? invalidCode() : tooManyCodes(retryAfterSeconds);
  }

  /** Whether the request belongs to a session or tries to. */
  isMeant({ headers }: IncomingMessage): boolean {
    return headers[KEY_HEADER] !== undefined || this.cookie.valuesIn(headers.cookie).length > 0;
  }

  /**
   * The signed-in person; null if the session is unknown or has ended.
   * @throws DomainError `unauthenticated` for a cookie without its key; `forbidden`, `invalid` or `unsupported_media` for what another page
   * may have sent
   */
  async findHolder(request: IncomingMessage): Promise<Principal | null> {
    const { headers } = request;
    checkOwnPage(headers, this.server.publicUrl);
    const key = headers[KEY_HEADER];
    if (typeof key !== 'string') throw keyRequired();
    checkIsJson(request);
    const found = SECRET.test(key) ? await this.repository.findLive(this.cookie.digestOf(key), this.moments()) : null;
    if (found === null || !this.hasCookieOf(found, headers.cookie)) return null;
    this.noteUse(found);
    const { scope, token_id, agent_ids, name, id } = found;
    const agentIds = agent_ids === null ? null : (JSON.parse(agent_ids) as string[]);
    return { scope: scope as SessionScope, tokenId: token_id, agentIds, run: null, name, sessionId: id };
  }

  /** @throws DomainError `not_found` for a caller with a bearer token */
  async ownOf({ sessionId }: Principal): Promise<OpenSession> {
    if (sessionId === undefined) throw noSession();
    const record = await this.repository.findById(sessionId);
    if (record === null) throw unknownSession();
    return openSession(record);
  }

  /** Newest first. @throws DomainError `invalid` for a cursor of another list */
  async list(limit: number, cursor: string | null): Promise<Page<OpenSession>> {
    const key = cursor === null ? null : decodeCursor(LIST, cursor, ['bigint', 'text']);
    const after = key === null ? null : { createdAtMs: Number(key[0]), id: String(key[1]) };
    const rows = await this.repository.listLive(limit + 1, after, this.moments());
    const { items, next_cursor } = toPage(rows, limit, LIST, ({ created_at, id }) => [created_at, id]);
    return { items: items.map(openSession), next_cursor };
  }

  count(): Promise<number> {
    return this.repository.countLive(this.moments());
  }

  /** Ends the session on every instance at once. @throws DomainError `not_found` */
  async end(id: string): Promise<void> {
    // No id contains U+0000, and PostgreSQL rejects it as a value.
    if (id.includes('\0') || !(await this.repository.delete(id))) throw unknownSession();
    this.feed.tellRevoked(id);
  }

  /** Ends the caller's own session. @throws DomainError `not_found` for a caller with a bearer token */
  async signOut({ sessionId }: Principal): Promise<void> {
    if (sessionId === undefined) throw noSession();
    await this.repository.delete(sessionId);
    this.feed.tellRevoked(sessionId);
  }

  /** Reads before it takes: a wrong code costs one read, like a wrong token, and never waits for the writer. */
  private async exchange(codeHash: string, { cookie, key }: Halves): Promise<ConsoleSession | null> {
    if (!(await this.repository.hasCode(codeHash))) return null;
    const nowMs = this.clock.nowMs();
    const id = newId();
    return this.repository.exchange(codeHash, nowMs, ({ scope, name, token_id }: ConsoleCode) => ({
      id,
      cookie_hash: this.cookie.digestOf(cookie),
      key_hash: this.cookie.digestOf(key),
      scope,
      name,
      token_id,
      created_at: nowMs,
      expires_at: nowMs + LONGEST_MS,
      last_used_at: nowMs,
    }));
  }

  /** The session that recently began with this key, unless it has ended. */
  private async findBegun(key: string): Promise<ConsoleSession | null> {
    const found = await this.repository.findLive(this.cookie.digestOf(key), this.moments());
    return found !== null && found.created_at > this.clock.nowMs() - REPEAT_MS ? found : null;
  }

  private hasCookieOf({ cookie_hash }: ConsoleSession, header: string | undefined): boolean {
    return this.cookie.valuesIn(header).some((value) => isSameSecret(this.cookie.digestOf(value), cookie_hash));
  }

  /** In the background: a request neither waits for it nor fails with it. */
  private noteUse({ id, last_used_at }: ConsoleSession): void {
    const nowMs = this.clock.nowMs();
    const beforeMs = nowMs - USE_NOTED_EVERY_MS;
    if (last_used_at >= beforeMs) return;
    this.repository.noteUse(id, nowMs, beforeMs).catch((error: unknown) => {
      this.logger.warn({ err: error, session_id: id }, 'the last use of a session could not be stored');
    });
  }

  private moments(): Moments {
    const nowMs = this.clock.nowMs();
    return { nowMs, idleSinceMs: nowMs - IDLE_MS };
  }
}

function randomHalves(): Halves {
  return { cookie: randomText(SECRET_BYTES), key: randomText(SECRET_BYTES) };
}

function rankOf(scope: SessionScope): number {
  return SESSION_SCOPES.indexOf(scope);
}

function openSession(record: ConsoleSession): OpenSession {
  return { record, idleAtMs: Math.min(record.last_used_at + IDLE_MS, record.expires_at) };
}
