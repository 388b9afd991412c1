import { Module } from '@nestjs/common';
import { ServerThreadsService } from './server-threads.service.js';

/** Whose word counts: what a bound token sees and may write. */
@Module({
  providers: [ServerThreadsService],
  exports: [ServerThreadsService],
})
export class BindingsModule {}
