import { Module } from '@nestjs/common';
import { ServerThreadsService } from './server-threads.service.js';

/** The visibility and write rules of a bound token. */
@Module({
  providers: [ServerThreadsService],
  exports: [ServerThreadsService],
})
export class BindingsModule {}
