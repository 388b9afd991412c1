import { Injectable } from '@nestjs/common';
import { InjectRepository } from '../../database/typeorm.module.js';
import { LessThan, Repository } from 'typeorm';
import { Database } from '../../database/database.js';
import { PortDataSource } from '../../database/port-data-source.js';
import { Instance } from './instance.entity.js';

@Injectable()
export class InstancesRepository {
  constructor(
    @InjectRepository(Instance) private readonly instances: Repository<Instance>,
    private readonly entities: PortDataSource,
    private readonly database: Database,
  ) {}

  get dialect(): Database['dialect'] {
    return this.database.dialect;
  }

  get pool(): Database['pool'] {
    return this.database.pool;
  }

  /** Writes the instance's heartbeat, and deletes instances not seen since `staleBeforeMs`. */
  async beat(instance: Instance, staleBeforeMs: number): Promise<void> {
    await this.entities.write(async (manager) => {
      await manager.upsert(Instance, instance, ['id']);
      await manager.delete(Instance, { last_seen: LessThan(staleBeforeMs) });
    });
  }

  /** Longest running first. */
  list(): Promise<Instance[]> {
    return this.instances.find({ order: { started_at: 'ASC', id: 'ASC' } });
  }

  async delete(id: string): Promise<void> {
    await this.instances.delete({ id });
  }
}
