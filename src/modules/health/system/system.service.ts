import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { CachedReading } from '../../../common/metrics/cached-reading.js';
import { JournalLoadGauge, type JournalLoad } from '../../../common/journal-load-gauge.js';
import { AppConfig } from '../../../config/app-config.js';
import { examine } from '../doctor/doctor.js';
import type { Finding } from '../doctor/finding.js';
import { HealthService, type Readiness } from '../health.service.js';
import { InstancesService } from '../instances.service.js';
import { SystemRepository, type DiskSpace } from './system.repository.js';

/**
 * The doctor opens its own connection, so simultaneous readers share a result. It expires soon, so that people see the effect of its
 * advice.
 */
const FINDINGS_MS = 5_000;

export interface SystemState extends Readiness {
  startedAtMs: number;
  sizeBytes: number;
  disk: DiskSpace | null;
  queue: JournalLoad & { maxJobs: number; maxBytes: number };
  /** Null if threads are kept forever. */
  retentionDays: number | null;
  findings: readonly Finding[];
}

@Injectable()
export class SystemService {
  private readonly findings = new CachedReading(FINDINGS_MS, () => {
    return examine(this.config, { isQuick: true, nowMs: this.clock.nowMs() });
  });

  constructor(
    private readonly health: HealthService,
    private readonly instances: InstancesService,
    private readonly repository: SystemRepository,
    private readonly journalLoad: JournalLoadGauge,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `unavailable` if the server is stopping or its database does not answer in time */
  async read(): Promise<SystemState> {
    const { ingestion, retention } = this.config;
    const readiness = await this.health.checkReadiness();
    const [sizeBytes, disk, findings] = await Promise.all([
      this.repository.sizeBytes(),
      this.repository.disk(),
      this.findings.get(),
    ]);
    return {
      ...readiness,
      startedAtMs: this.instances.startedAtMs,
      sizeBytes,
      disk,
      queue: { ...this.journalLoad.current, maxJobs: ingestion.queueMaxRequests, maxBytes: ingestion.queueMaxBytes },
      retentionDays: retention.days > 0 ? retention.days : null,
      findings: findings ?? [],
    };
  }
}
