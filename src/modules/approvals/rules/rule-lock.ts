import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../../../database/advisory-locks.js';
import { Database, type SqlSession } from '../../../database/database.js';
import type { UnitOfWork } from '../../threads/journal/thread-journal.service.js';

/**
 * Factor by which a transaction waits longer for this lock than for a thread's. Each server commits a group while holding it, so the last
 * of many busy servers waits for several groups. A group that gives up is retried job by job, which is slower for all.
 */
const PATIENCE = 4;

/**
 * One lock for deciding by rules and changing them: its holder knows the current rules and uses until its transaction has committed. On
 * PostgreSQL it covers all servers; SQLite has one process, which prepares a transaction while writing another.
 */
@Injectable()
export class RuleLock {
  private tail: Promise<void> = Promise.resolve();
  private readonly holders = new WeakSet<UnitOfWork>();
  /** Whether the last wait of this server failed: the holder may be frozen, and the other jobs of a group must go on. */
  private isStuck = false;

  constructor(private readonly database: Database) {}

  /** Holds the lock for a journal transaction until it has committed or failed. Take it after the locks of threads. */
  async hold(unitOfWork: UnitOfWork): Promise<void> {
    if (this.holders.has(unitOfWork)) return;
    this.holders.add(unitOfWork);
    if (this.database.isShared) return this.lockAll(unitOfWork.reader, unitOfWork.lockTimeoutMs);
    const release = await this.turn();
    unitOfWork.onSettled(release);
  }

  /** Runs a transaction that changes rules. After it, nobody decides by the old rules. */
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

  /** @param lockTimeoutMs the transaction's limit for other locks; null for the database's own limit */
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

  /** Waits for earlier holders and returns the function that releases the lock. */
  private async turn(): Promise<() => void> {
    const before = this.tail;
    let release: () => void = () => undefined;
    this.tail = new Promise((resolve) => (release = resolve));
    await before;
    return release;
  }
}
