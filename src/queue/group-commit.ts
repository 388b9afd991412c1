import { Injectable } from '@nestjs/common';
import { DomainError } from '../common/domain-error.js';
import { Database, type SqlSession } from '../database/database.js';
import { CommitQueue } from './commit-queue.js';

type Work = (session: SqlSession) => Promise<unknown>;

/** Small transactions that share a commit (`CommitQueue`). PostgreSQL does that itself for concurrent transactions that lock little. */
@Injectable()
export class GroupCommit {
  private readonly queue = new CommitQueue<Work, unknown>({
    commit: (group) => this.commit(group),
    failsAlike: (error) => error instanceof DomainError,
  });

  constructor(private readonly database: Database) {}

  /**
   * Resolves when the changes of `work` are durable. It may run more than once; only its last run counts. If it throws, its changes are
   * undone, without effect on the others.
   */
  run<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    if (this.database.isShared) return this.database.transaction(work);
    return this.queue.add(work) as Promise<T>;
  }

  private commit(group: readonly Work[]): Promise<unknown[]> {
    return this.database.transaction(async (session) => {
      const results: unknown[] = [];
      for (const work of group) results.push(await work(session));
      return results;
    });
  }
}
