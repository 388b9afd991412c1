import { Injectable } from '@nestjs/common';
import { DomainError } from '../common/domain-error.js';
import { Database, type SqlSession } from '../database/database.js';
import { CommitQueue } from './commit-queue.js';

type Work = (session: SqlSession) => Promise<unknown>;

/**
 * Small transactions that share a commit (`CommitQueue`). PostgreSQL does that by itself, for transactions beside each other that
 * each lock little.
 */
@Injectable()
export class GroupCommit {
  private readonly queue = new CommitQueue<Work, unknown>({
    commit: (group) => this.commit(group),
    failsAlike: (error) => error instanceof DomainError,
  });

  constructor(private readonly database: Database) {}

  /**
   * Resolves when what `work` did is durable. It may run more than once; only its last run counts. When it throws, nothing of it
   * is kept, and the others do not notice.
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
