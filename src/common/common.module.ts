import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from './clock.js';
import { Logger } from './logger.js';
import { Metrics } from './metrics/metrics.js';
import { SharedFeatures } from './shared-features.js';
import { ShutdownSignal } from './shutdown-signal.js';
import { JournalLoadGauge } from './journal-load-gauge.js';

export interface CommonProviders {
  logger: Logger;
  clock: Clock;
  /** Replaces the default metrics, which nobody reads. */
  metrics?: Metrics;
}

/** Provides what every module may inject without an import: log, clock, metrics, queue load and shutdown signal. */
@Global()
@Module({})
export class CommonModule {
  static forRoot({ logger, clock, metrics = new Metrics() }: CommonProviders): DynamicModule {
    return {
      module: CommonModule,
      providers: [
        { provide: Logger, useValue: logger },
        { provide: Clock, useValue: clock },
        { provide: Metrics, useValue: metrics },
        ShutdownSignal,
        SharedFeatures,
        JournalLoadGauge,
      ],
      exports: [Logger, Clock, Metrics, ShutdownSignal, SharedFeatures, JournalLoadGauge],
    };
  }
}
