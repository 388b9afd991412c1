import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { PortDataSource } from '../../database/port-data-source.js';
import { KeyCheck } from './key-check.entity.js';

@Injectable()
export class KeyCheckRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: PortDataSource,
  ) {}

  /** True if several instances share the storage, so that their secrets could differ. */
  get isShared(): boolean {
    return this.database.isShared;
  }

  /** Stores the digest unless there is one, and returns the stored one. */
  storeFirst(digest: string): Promise<string> {
    return this.entities.write(async (manager) => {
      await manager.createQueryBuilder().insert().into(KeyCheck).values({ id: 1, digest }).orIgnore().execute();
      const row = await manager.findOneBy(KeyCheck, { id: 1 });
      return row?.digest ?? digest;
    });
  }
}
