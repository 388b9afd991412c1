import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/domain-error.js';
import { ShutdownSignal } from '../../common/shutdown-signal.js';
import type { Instance } from './instance.entity.js';
import { InstancesRepository } from './instances.repository.js';
import { InstancesService } from './instances.service.js';

const DATABASE_TIMEOUT_MS = 3000;

export interface Readiness {
  uptimeSeconds: number;
  dialect: 'sqlite' | 'postgres';
  /** How long the database took to answer, in milliseconds. */
  latencyMs: number;
  instances: Instance[];
}

@Injectable()
export class HealthService {
  constructor(
    private readonly instances: InstancesService,
    private readonly repository: InstancesRepository,
    private readonly shutdown: ShutdownSignal,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `unavailable` if the server is stopping or its database does not answer in time */
  async checkReadiness(): Promise<Readiness> {
    if (this.shutdown.isShuttingDown) throw notReady('shutting_down', 'The server is shutting down.');
    const startedMs = performance.now();
    const instances = await within(DATABASE_TIMEOUT_MS, this.instances.list());
    return {
      uptimeSeconds: Math.floor((this.clock.nowMs() - this.instances.startedAtMs) / 1000),
      dialect: this.repository.dialect,
      latencyMs: Math.round((performance.now() - startedMs) * 10) / 10,
      instances,
    };
  }
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(notReady('storage_unavailable', 'The database does not answer.')), timeoutMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

function notReady(code: string, message: string): DomainError {
  return new DomainError('unavailable', code, message, { retryAfterSeconds: 1 });
}
