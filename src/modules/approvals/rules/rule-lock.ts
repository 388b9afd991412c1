import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../../../database/advisory-locks.js';
import { Database, type SqlSession } from '../../../database/database.js';
import type { UnitOfWork } from '../../threads/journal/thread-journal.service.js';

/**
 * How much longer than for a thread a transaction waits for the lock: one server after the other commits a group while it holds it, so
 * where all are busy the last one waits for several groups. A group that gives up is tried job by job, which is slower for all.
 */
const PATIENCE = 4;

/**
 * One lock for all that decides by rules or changes them: whoever holds it knows the rules and their uses as they are, until its transaction
 * has committed. PostgreSQL has it for all servers; SQLite belongs to one process, which prepares a transaction while another is written.
 */
@Injectable()
export class RuleLock {
  private tail: Promise<void> = Promise.resolve();
  private readonly holders = new WeakSet<UnitOfWork>();
  /** Whether this server waited in vain the last time: then who holds the lock may be frozen, and the other jobs of a group must go on. */
  private isStuck = false;

  constructor(private readonly database: Database) {}

  /** Holds the lock for a transaction of the journal until it has committed or failed. Take it after those of threads. */
  async hold(unitOfWork: UnitOfWork): Promise<void> {
    if (this.holders.has(unitOfWork)) return;
    this.holders.add(unitOfWork);
    if (this.database.isShared) return this.lockAll(unitOfWork.reader, unitOfWork.lockTimeoutMs);
    const release = await this.turn();
    unitOfWork.onSettled(release);
  }

  /** Runs a transaction that changes rules. After it, nobody decides by the rules as they were. */
  async change<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    if (this.database.isShared) {
      return this.database.transaction(async (session) => {
        await this.lockAll(session);
        return work(session);
      });
    }
    const release = await this.turn();
    try {
      return await this.database.transaction(work);
    } finally {
      release();
    }
  }

  /** @param lockTimeoutMs what the transaction waits for other locks; null for the database's own limit */
  private async lockAll(session: Pick<SqlSession, 'query'>, lockTimeoutMs: number | null = null): Promise<void> {
    const lock = `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.rules});`;
    const isPatient = lockTimeoutMs !== null && !this.isStuck;
    const waiting = (ms: number) => `SET LOCAL lock_timeout = ${ms};`;
    try {
      await session.query(isPatient ? waiting(PATIENCE * lockTimeoutMs) + lock + waiting(lockTimeoutMs) : lock);
      this.isStuck = false;
    } catch (error) {
      this.isStuck = true;
      throw error;
    }
  }

  /** Waits for those before, and answers what lets the next one go on. */
  private async turn(): Promise<() => void> {
    const before = this.tail;
    let release: () => void = () => undefined;
    this.tail = new Promise((resolve) => (release = resolve));
    await before;
    return release;
  }
}
