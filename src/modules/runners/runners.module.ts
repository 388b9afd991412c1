import { Module } from '@nestjs/common';
import { ThreadsModule } from '../threads/threads.module.js';
import { RunnersIngestionService } from './ingestion/runners-ingestion.service.js';
import { RunnersController } from './runners.controller.js';
import { RunnersLatestService } from './runners-latest.service.js';

/** What agents call: they report their runs and ask where to go on. */
@Module({
  imports: [ThreadsModule],
  controllers: [RunnersController],
  providers: [RunnersIngestionService, RunnersLatestService],
})
export class RunnersModule {}
