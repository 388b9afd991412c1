import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CachedReading, STORAGE_READING_MS } from '../../common/metrics/cached-reading.js';
import { countedElsewhere, gauge, Metrics, type MetricFamily } from '../../common/metrics/metrics.js';
import { VERSION } from '../../common/version.js';
import { InstancesRepository } from './instances.repository.js';

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** The process and its connections. Names that Prometheus has settled are used as they are. */
@Injectable()
export class ProcessMetricsService implements OnModuleInit, OnModuleDestroy {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(
    private readonly metrics: Metrics,
    private readonly instances: InstancesRepository,
  ) {}

  onModuleInit(): void {
    this.delay.enable();
    this.metrics.add(...this.ofProcess(), ...this.ofDatabase());
  }

  onModuleDestroy(): void {
    this.delay.disable();
  }

  private ofProcess(): MetricFamily[] {
    const startSeconds = Date.now() / 1000 - process.uptime();
    return [
      gauge('waystation_build_info', 'Always 1; the labels say what runs.', () => [
        { labels: { version: VERSION, node: process.versions.node, database: this.instances.dialect }, value: 1 },
      ]),
      gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', () => startSeconds),
      countedElsewhere('process_cpu_seconds_total', 'Processor time, user and system.', () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1e6;
      }),
      gauge('process_resident_memory_bytes', 'Memory that the process holds.', () => process.memoryUsage.rss()),
      gauge('nodejs_heap_size_used_bytes', 'Memory of JavaScript objects.', () => process.memoryUsage().heapUsed),
      gauge('nodejs_eventloop_lag_seconds', 'How late timers were since the last look.', () => this.lag()),
    ];
  }

  private ofDatabase(): MetricFamily[] {
    const alive = new CachedReading(STORAGE_READING_MS, () => this.instances.list());
    return [
      gauge('waystation_database_up', 'Whether the database answers.', async () => ((await alive.get()) ? 1 : 0)),
      gauge('waystation_instances', 'API servers on this storage.', async () => (await alive.get())?.length ?? null),
      gauge('waystation_database_pool_connections', 'Connections to PostgreSQL.', () => {
        const { pool } = this.instances;
        if (pool === null) return null;
        return [
          { labels: { state: 'busy' }, value: pool.total - pool.idle },
          { labels: { state: 'idle' }, value: pool.idle },
        ];
      }),
      gauge('waystation_database_pool_waiting', 'Who waits for one.', () => this.instances.pool?.waiting ?? null),
    ];
  }

  /** Timers are never early, so what is measured includes the time between two looks. */
  private lag() {
    const seconds = (ns: number) => Math.max(0, ns / NS_PER_SECOND - RESOLUTION_MS / 1000);
    const found = [
      { labels: { stat: 'p50' }, value: seconds(this.delay.percentile(50)) },
      { labels: { stat: 'p99' }, value: seconds(this.delay.percentile(99)) },
      { labels: { stat: 'max' }, value: seconds(this.delay.max) },
    ];
    this.delay.reset();
    return found;
  }
}
