import { Module } from '@nestjs/common';
import { ThreadFlagsService } from './thread-flags.service.js';

@Module({
  providers: [ThreadFlagsService],
  exports: [ThreadFlagsService],
})
export class FlagsModule {}
