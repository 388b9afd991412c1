import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CachedReading, STORAGE_READING_MS } from '../../common/metrics/cached-reading.js';
import { Metrics } from '../../common/metrics/metrics.js';
import { AgentsService } from './agents/agents.service.js';
import { RunnersIngestionService } from './ingestion/runners-ingestion.service.js';
import { LongPollService } from '../../database/long-poll.service.js';

@Injectable()
export class RunnersMetricsService implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly ingestion: RunnersIngestionService,
    private readonly longPolls: LongPollService,
    private readonly agents: AgentsService,
  ) {}

  onModuleInit(): void {
    const { totals } = this.ingestion;
    const online = new CachedReading(STORAGE_READING_MS, () => this.agents.countByPresence());
    const { metrics } = this;
    metrics.counter('waystation_events_saved_total', 'Events that were stored.', () => totals.saved);
    metrics.counter('waystation_events_rejected_total', 'Events that were refused.', () => totals.rejected);
    metrics.gauge('waystation_latest_waits_open', 'Waiting requests for `latest`.', () => this.longPolls.openWaits);
    metrics.gauge(
      'waystation_agents',
      'Agents that have ever sent a heartbeat, in the whole storage.',
      async () => {
        const found = await online.get();
        if (found === null) return null;
        return [
          { labels: { state: 'online' }, value: found.online },
          { labels: { state: 'offline' }, value: found.offline },
        ];
      },
      ['state'],
    );
  }
}
