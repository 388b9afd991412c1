import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/channels.module.js';
import { RunnersModule } from '../runners/runners.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { ExampleDataService } from './example-data.service.js';
import { ExampleSurroundings } from './example-surroundings.service.js';
import { ExamplesController } from './examples.controller.js';

@Module({
  imports: [ThreadsModule, RunnersModule, ChannelsModule],
  controllers: [ExamplesController],
  providers: [ExampleDataService, ExampleSurroundings],
})
export class ExamplesModule {}
