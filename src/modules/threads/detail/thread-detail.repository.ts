import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import type { Run } from '../entities/run.entity.js';
import type { ThreadItemRow } from '../list/thread-item.json.js';
import { itemSql, unpackItem, type PackedItem } from '../list/thread-item.sql.js';

/** Reads the item and the runs of a single thread. */
@Injectable()
export class ThreadDetailRepository {
  constructor(private readonly database: Database) {}

  async findItem(threadId: string): Promise<ThreadItemRow | null> {
    if (threadId.includes('\0')) return null;
    const [row] = await this.database.read<PackedItem>(itemSql(this.database.dialect), [threadId]);
    return row ? unpackItem(row) : null;
  }

  /** In the order in which they were first seen. */
  runsOf(pk: number): Promise<Run[]> {
    return this.database.read<Run>(`SELECT * FROM run WHERE thread_pk = $1 ORDER BY run_no`, [pk]);
  }
}
