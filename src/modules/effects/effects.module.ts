import { Module } from '@nestjs/common';
import { LongPollService } from '../../database/long-poll.service.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { AgentEffectsService } from './agent-effects.service.js';
import { EffectApprovalsService } from './effect-approvals.service.js';
import { EffectDoubtsService } from './effect-doubts.service.js';
import { EffectLeasesService } from './effect-leases.service.js';
import { EffectsController } from './effects.controller.js';
import { EffectsQueryService } from './effects-query.service.js';
import { EffectsRecorder } from './effects.recorder.js';
import { EffectsRepository } from './effects.repository.js';
import { RunEffectsService } from './run-effects.service.js';
import { EffectsService } from './effects.service.js';

@Module({
  imports: [ThreadsModule, ApprovalsModule],
  controllers: [EffectsController],
  providers: [
    ...[EffectsRepository, EffectsService, EffectsQueryService, EffectsRecorder],
    ...[EffectLeasesService, EffectApprovalsService, EffectDoubtsService, RunEffectsService, AgentEffectsService],
    LongPollService,
  ],
  exports: [EffectsService, EffectsQueryService, AgentEffectsService, EffectDoubtsService],
})
export class EffectsModule {}
