import { Injectable } from '@nestjs/common';
import { InjectRepository } from '../../../database/typeorm.module.js';
import { LessThan, Repository, type SelectQueryBuilder } from 'typeorm';
import { PortDataSource } from '../../../database/port-data-source.js';
import type { AccessToken } from '../access-token.entity.js';
import { ConsoleCode } from './console-code.entity.js';
import { ConsoleSession } from './console-session.entity.js';

/** The session before a page. */
export interface SessionCursor {
  createdAtMs: number;
  id: string;
}

/** A session with its token's agents. */
export type LiveSession = ConsoleSession & Pick<AccessToken, 'agent_ids'>;

export interface Moments {
  nowMs: number;
  /** Sessions last used before this have ended. */
  idleSinceMs: number;
}

const TOKEN_LIVES = (row: string, now: string) => `(${row}.token_id IS NULL OR EXISTS (SELECT 1 FROM access_token token
  WHERE token.id = ${row}.token_id AND (token.expires_at IS NULL OR token.expires_at > ${now})))`;

/** A second caller finds no row: this statement is the code's only use. */
const TAKE_CODE = `DELETE FROM console_code WHERE code_hash = $1 AND expires_at > $2
  AND ${TOKEN_LIVES('console_code', '$3')} RETURNING *`;

/** Runs with every request of the console, so it is plain SQL, like the token lookup. */
const BY_KEY = `SELECT session.*, (SELECT agent_ids FROM access_token WHERE id = session.token_id) AS agent_ids
  FROM console_session session WHERE key_hash = $1 AND expires_at > $2 AND last_used_at > $3
  AND ${TOKEN_LIVES('session', '$4')}`;

const USE = 'UPDATE console_session SET last_used_at = $1 WHERE id = $2 AND last_used_at < $3';

const ORPHANS = (table: string) =>
  `DELETE FROM ${table} WHERE token_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM access_token WHERE id = token_id)`;

@Injectable()
export class SessionsRepository {
  constructor(
    @InjectRepository(ConsoleCode) private readonly codes: Repository<ConsoleCode>,
    @InjectRepository(ConsoleSession) private readonly sessions: Repository<ConsoleSession>,
    private readonly entities: PortDataSource,
  ) {}

  async insertCode(code: ConsoleCode): Promise<void> {
    await this.codes.insert(code);
  }

  async hasCode(codeHash: string): Promise<boolean> {
    return (await this.codes.query<object[]>('SELECT 1 FROM console_code WHERE code_hash = $1', [codeHash])).length > 0;
  }

  /** Takes the code and stores the session that `open` builds, in one transaction. Null if the code was used or has expired. */
  exchange(
    codeHash: string,
    nowMs: number,
    open: (code: ConsoleCode) => ConsoleSession,
  ): Promise<ConsoleSession | null> {
    return this.entities.write(async (manager) => {
      const [code] = await manager.query<ConsoleCode[]>(TAKE_CODE, [codeHash, nowMs, nowMs]);
      if (code === undefined) return null;
      const session = open(code);
      await manager.insert(ConsoleSession, session);
      return session;
    });
  }

  async findLive(keyHash: string, { nowMs, idleSinceMs }: Moments): Promise<LiveSession | null> {
    const [session] = await this.sessions.query<LiveSession[]>(BY_KEY, [keyHash, nowMs, idleSinceMs, nowMs]);
    return session ?? null;
  }

  /** Stores a use, unless one was stored at `beforeMs` or later. */
  async noteUse(id: string, nowMs: number, beforeMs: number): Promise<void> {
    await this.sessions.query(USE, [nowMs, id, beforeMs]);
  }

  findById(id: string): Promise<ConsoleSession | null> {
    return this.sessions.findOneBy({ id });
  }

  /** Newest first. */
  listLive(limit: number, after: SessionCursor | null, moments: Moments): Promise<ConsoleSession[]> {
    const page = this.live(moments).orderBy({ 'session.created_at': 'DESC', 'session.id': 'DESC' }).limit(limit);
    if (after !== null) page.andWhere('(session.created_at, session.id) < (:createdAtMs, :id)', after);
    return page.getMany();
  }

  countLive(moments: Moments): Promise<number> {
    return this.live(moments).getCount();
  }

  async delete(id: string): Promise<boolean> {
    return (await this.sessions.delete({ id })).affected !== 0;
  }

  async deleteEnded({ nowMs, idleSinceMs }: Moments): Promise<void> {
    await this.entities.write(async (manager) => {
      await manager.delete(ConsoleCode, { expires_at: LessThan(nowMs) });
      await manager.delete(ConsoleSession, { expires_at: LessThan(nowMs) });
      await manager.delete(ConsoleSession, { last_used_at: LessThan(idleSinceMs) });
      await manager.query(ORPHANS('console_code'));
      await manager.query(ORPHANS('console_session'));
    });
  }

  private live({ nowMs, idleSinceMs }: Moments): SelectQueryBuilder<ConsoleSession> {
    return this.sessions
      .createQueryBuilder('session')
      .where('session.expires_at > :nowMs AND session.last_used_at > :idleSinceMs', { nowMs, idleSinceMs })
      .andWhere(TOKEN_LIVES('session', ':nowMs'));
  }
}
