import { Module } from '@nestjs/common';
import { RunnersModule } from '../runners/runners.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { StateController } from './state.controller.js';
import { StateClearingRepository } from './state-clearing.repository.js';
import { StateDeletionRepository } from './state-deletion.repository.js';
import { StateDeletionService } from './state-deletion.service.js';
import { StateLeftoversRepository } from './state-leftovers.repository.js';
import { StatePositionsRepository } from './state-positions.repository.js';
import { StateQueryService } from './state-query.service.js';
import { StateRecorder } from './state.recorder.js';
import { StateRepository } from './state.repository.js';
import { StateService } from './state.service.js';
import { StateStepsService } from './state-steps.service.js';

/** Graph states, beside what agents report about their runs. */
@Module({
  imports: [ThreadsModule, RunnersModule],
  controllers: [StateController],
  providers: [
    StateRepository,
    StateClearingRepository,
    StateDeletionRepository,
    StateLeftoversRepository,
    StatePositionsRepository,
    StateService,
    StateStepsService,
    StateDeletionService,
    StateQueryService,
    StateRecorder,
  ],
})
export class GraphStatesModule {}
