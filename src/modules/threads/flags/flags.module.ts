import { Module } from '@nestjs/common';
import { ThreadFlagsService } from './thread-flags.service.js';

/** Facts about threads and runs besides their status. */
@Module({
  providers: [ThreadFlagsService],
  exports: [ThreadFlagsService],
})
export class FlagsModule {}
