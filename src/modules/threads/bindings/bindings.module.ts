import { Module } from '@nestjs/common';
import { ServerThreadsService } from './server-threads.service.js';

/** What bound tokens may see and write. */
@Module({
  providers: [ServerThreadsService],
  exports: [ServerThreadsService],
})
export class BindingsModule {}
