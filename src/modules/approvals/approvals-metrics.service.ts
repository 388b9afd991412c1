import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { CachedReading, STORAGE_READING_MS } from '../../common/metrics/cached-reading.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsStreamService } from './approvals-stream.service.js';

/** How many approvals wait, and for how long. */
@Injectable()
export class ApprovalsMetricsService implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly approvals: ApprovalsRepository,
    private readonly streams: ApprovalsStreamService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const pending = new CachedReading(STORAGE_READING_MS, () => this.approvals.summarisePending());
    this.metrics.gauge(
      'waystation_approvals_pending',
      'Approvals that wait for a person, in the whole storage.',
      async () => {
        const found = await pending.get();
        return found && found.count;
      },
    );
    this.metrics.gauge(
      'waystation_approvals_oldest_pending_seconds',
      'Age of the oldest of them; 0 for none.',
      async () => {
        const found = await pending.get();
        if (found === null) return null;
        return found.oldestMs === null ? 0 : Math.max(0, (this.clock.nowMs() - found.oldestMs) / 1000);
      },
    );
    this.metrics.gauge(
      'waystation_approval_streams_open',
      'Readers that follow all approvals.',
      () => this.streams.openStreams,
    );
  }
}
