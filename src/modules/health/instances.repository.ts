import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { Instance } from './instance.entity.js';

const COLUMNS = 'id, host, pid, version, started_at, last_seen';

@Injectable()
export class InstancesRepository {
  constructor(private readonly database: Database) {}

  get dialect(): Database['dialect'] {
    return this.database.dialect;
  }

  get pool(): Database['pool'] {
    return this.database.pool;
  }

  /** Notes that the instance is alive, and forgets those not seen since `staleBeforeMs`. */
  async beat({ id, host, pid, version, started_at, last_seen }: Instance, staleBeforeMs: number): Promise<void> {
    await this.database.transaction(async (session) => {
      await session.query(
        `INSERT INTO instance (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (id) DO UPDATE SET last_seen = EXCLUDED.last_seen`,
        [id, host, pid, version, started_at, last_seen],
      );
      await session.query('DELETE FROM instance WHERE last_seen < $1', [staleBeforeMs]);
    });
  }

  /** The longest running first. */
  async list(): Promise<Instance[]> {
    return this.database.read(`SELECT ${COLUMNS} FROM instance ORDER BY started_at, id`);
  }

  async delete(id: string): Promise<void> {
    await this.database.transaction((session) => session.query('DELETE FROM instance WHERE id = $1', [id]));
  }
}
