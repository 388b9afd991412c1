import { Injectable } from '@nestjs/common';
import { DomainError } from '../common/domain-error.js';
import { Database, type SqlSession } from '../database/database.js';

const MAX_GROUP = 64;

interface Waiting {
  work: (session: SqlSession) => Promise<unknown>;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/**
 * Small transactions that come while one is under way share the next one, so that many of them cost one sync of the disk. PostgreSQL
 * does that by itself, for transactions beside each other that each lock little.
 */
@Injectable()
export class GroupCommit {
  private waiting: Waiting[] = [];
  private worker: Promise<void> | null = null;

  constructor(private readonly database: Database) {}

  /**
   * Resolves when what `work` did is durable. It may run more than once; only its last run counts. Where it throws, nothing of it
   * is kept, and the others are not touched by it.
   */
  run<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    if (this.database.isShared) return this.database.transaction(work);
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ work, resolve, reject });
      this.worker ??= this.drain();
    });
  }

  private async drain(): Promise<void> {
    // What comes in the same turn of the event loop belongs together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) await this.commit(this.waiting.splice(0, MAX_GROUP));
    this.worker = null;
  }

  private async commit(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.database.transaction(async (session) => {
        const done: unknown[] = [];
        for (const { work } of group) done.push(await work(session));
        return done;
      });
      group.forEach(({ resolve }, i) => resolve(results[i] as never));
    } catch (error) {
      // Where the storage is at fault all would fail alike; else the one that is at fault must not take the others with it.
      if (group.length === 1 || error instanceof DomainError) group.forEach(({ reject }) => reject(error));
      else for (const one of group) await this.commit([one]);
    }
  }
}
