import { Module } from '@nestjs/common';
import { TypeOrmModule } from '../../database/typeorm.module.js';
import { LongPollService } from '../../database/long-poll.service.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { EffectsModule } from '../effects/effects.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { Agent } from './agents/agent.entity.js';
import { AgentCallsService } from './agents/agent-calls.service.js';
import { AgentStartsService } from './agents/agent-starts.service.js';
import { AgentsController } from './agents/agents.controller.js';
import { AgentsRepository } from './agents/agents.repository.js';
import { AgentsService } from './agents/agents.service.js';
import { QueuedRunsRepository } from './agents/queued-runs.repository.js';
import { QueuedRunsService } from './agents/queued-runs.service.js';
import { RunRetriesService } from './agents/run-retries.service.js';
import { RunsController } from './agents/runs.controller.js';
import { RunnersIngestionService } from './ingestion/runners-ingestion.service.js';
import { LeasesController } from './leases/leases.controller.js';
import { SafeResumeService } from './resume/safe-resume.service.js';
import { RunnerThreadsController } from './agent-threads/runner-threads.controller.js';
import { RunnersController } from './runners.controller.js';
import { RunnersLatestService } from './runners-latest.service.js';
import { RunnersMetricsService } from './runners-metrics.service.js';
import { RunnersRetentionService } from './runners-retention.service.js';

@Module({
  imports: [ThreadsModule, ApprovalsModule, EffectsModule, TypeOrmModule.forFeature([Agent])],
  controllers: [RunnersController, AgentsController, RunsController, LeasesController, RunnerThreadsController],
  providers: [
    RunnersIngestionService,
    LongPollService,
    RunnersLatestService,
    SafeResumeService,
    RunnersRetentionService,
    RunnersMetricsService,
    AgentsRepository,
    AgentsService,
    QueuedRunsRepository,
    QueuedRunsService,
    AgentCallsService,
    AgentStartsService,
    RunRetriesService,
  ],
  exports: [RunnersIngestionService, AgentsService, AgentCallsService, RunRetriesService],
})
export class RunnersModule {}
