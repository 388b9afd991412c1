import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock } from './clock.js';
import { Logger } from './logger.js';
import { ShutdownSignal } from './shutdown-signal.js';

export interface CommonProviders {
  logger: Logger;
  clock: Clock;
}

/** What every module may ask for without importing it: the log, the time, and word of the coming end. */
@Global()
@Module({})
export class CommonModule {
  static forRoot({ logger, clock }: CommonProviders): DynamicModule {
    return {
      module: CommonModule,
      providers: [{ provide: Logger, useValue: logger }, { provide: Clock, useValue: clock }, ShutdownSignal],
      exports: [Logger, Clock, ShutdownSignal],
    };
  }
}
