import { Module, type DynamicModule } from '@nestjs/common';
import { FiringsService } from './schedule/firings.service.js';
import { FiringsRepository } from './schedule/firings.repository.js';
import { ScheduleService } from './schedule/schedule.service.js';
import { AgentHttpController } from './webhooks/agent-http.controller.js';
import { RunStartsService } from './webhooks/run-starts.service.js';

/** Starts runs: webhooks, `/invoke` and schedules. */
@Module({})
export class TriggersModule {
  /** `access` provides the definition and how the agents are reached, `runs` the `RunLauncher`. */
  static forRoot(access: DynamicModule, runs: DynamicModule): DynamicModule {
    return {
      module: TriggersModule,
      imports: [access, runs],
      controllers: [AgentHttpController],
      providers: [RunStartsService, ScheduleService, FiringsService, FiringsRepository],
    };
  }
}
