import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CachedReading, STORAGE_READING_MS } from '../../common/metrics/cached-reading.js';
import { Metrics, type Reading } from '../../common/metrics/metrics.js';
import { VERSION } from '../../common/version.js';
import { InstancesRepository } from './instances.repository.js';

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** The process and its connections, under the standard Prometheus names. */
@Injectable()
export class ProcessMetricsService implements OnModuleInit, OnModuleDestroy {
  private readonly delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  /** From the first scrape on: measuring wakes the process 50 times a second, even when idle. */
  private isMeasured = false;

  constructor(
    private readonly metrics: Metrics,
    private readonly instances: InstancesRepository,
  ) {}

  onModuleInit(): void {
    this.addProcess();
    this.addDatabase();
  }

  onModuleDestroy(): void {
    this.delay.disable();
  }

  private addProcess(): void {
    const { metrics } = this;
    const startSeconds = Date.now() / 1000 - process.uptime();
    metrics.gauge('waystation_build_info', 'Always 1; the labels describe the program.', () => [this.build()], [
      'version',
      'node',
      'database',
    ]);
    metrics.gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', () => startSeconds);
    metrics.counter('process_cpu_seconds_total', 'CPU time, user and system.', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
    metrics.gauge('process_resident_memory_bytes', 'Memory that the process holds.', () => process.memoryUsage.rss());
    metrics.gauge(
      'nodejs_heap_size_used_bytes',
      'Memory used by JavaScript objects.',
      () => process.memoryUsage().heapUsed,
    );
    metrics.gauge('nodejs_eventloop_lag_seconds', 'Delay of timers since the last reading.', () => this.lag(), [
      'stat',
    ]);
  }

  private addDatabase(): void {
    const { metrics } = this;
    const alive = new CachedReading(STORAGE_READING_MS, () => this.instances.list());
    metrics.gauge('waystation_database_up', 'Whether the database answers.', async () => ((await alive.get()) ? 1 : 0));
    metrics.gauge(
      'waystation_instances',
      'API servers on this storage.',
      async () => (await alive.get())?.length ?? null,
    );
    metrics.gauge('waystation_database_pool_connections', 'Connections to PostgreSQL.', () => this.connections(), [
      'state',
    ]);
    metrics.gauge(
      'waystation_database_pool_waiting',
      'Requests that wait for a connection.',
      () => this.instances.pool?.waiting ?? null,
    );
  }

  private build(): Reading {
    const { dialect: database } = this.instances;
    return { labels: { version: VERSION, node: process.versions.node, database }, value: 1 };
  }

  private connections(): Reading[] {
    const { pool } = this.instances;
    if (pool === null) return [];
    return [
      { labels: { state: 'busy' }, value: pool.total - pool.idle },
      { labels: { state: 'idle' }, value: pool.idle },
    ];
  }

  /** None at the first scrape. Timers are never early, so the histogram's values include its resolution. */
  private lag(): Reading[] {
    if (!this.isMeasured) {
      this.isMeasured = this.delay.enable();
      return [];
    }
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
