import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { KeyCheck } from './key-check.entity.js';

@Injectable()
export class KeyCheckRepository {
  constructor(private readonly database: Database) {}

  /** True where several instances use the storage, so that their secrets could differ. */
  get isShared(): boolean {
    return this.database.isShared;
  }

  /** Stores the digest unless there is one already, and answers the one that counts. */
  async storeFirst(digest: string): Promise<string> {
    const rows = await this.database.transaction(async (session) => {
      await session.query('INSERT INTO key_check (id, digest) VALUES (1, $1) ON CONFLICT (id) DO NOTHING', [digest]);
      return session.query<Pick<KeyCheck, 'digest'>>('SELECT digest FROM key_check WHERE id = 1');
    });
    return rows[0]?.digest ?? digest;
  }
}
