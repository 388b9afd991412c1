import { Module } from '@nestjs/common';
import { BindingsModule } from './bindings/bindings.module.js';
import { CheckpointsModule } from './checkpoints/checkpoints.module.js';
import { DeletionModule } from './deletion/deletion.module.js';
import { DetailModule } from './detail/detail.module.js';
import { FlagsModule } from './flags/flags.module.js';
import { JournalModule } from './journal/journal.module.js';
import { ListModule } from './list/list.module.js';
import { AgentThreadsModule } from './agent-threads/agent-threads.module.js';
import { StatsModule } from './stats/stats.module.js';
import { VisibilityModule } from './visibility/visibility.module.js';
import { StreamModule } from './stream/stream.module.js';
import { ThreadsStatsController } from './threads-stats.controller.js';
import { ThreadsWatchController } from './threads-watch.controller.js';
import { ThreadsController } from './threads.controller.js';
import { ThreadsMetricsService } from './threads-metrics.service.js';
import { TransferModule } from './transfer/transfer.module.js';
import { TurnsModule } from './turns/turns.module.js';
import { WatchModule } from './watch/watch.module.js';

@Module({
  imports: [
    ...[BindingsModule, VisibilityModule, JournalModule, CheckpointsModule, ListModule],
    ...[DetailModule, StreamModule, WatchModule, DeletionModule, TransferModule, TurnsModule],
    ...[FlagsModule, StatsModule, AgentThreadsModule],
  ],
  controllers: [ThreadsController, ThreadsStatsController, ThreadsWatchController],
  providers: [ThreadsMetricsService],
  exports: [
    ...[BindingsModule, VisibilityModule, JournalModule, CheckpointsModule],
    ...[DetailModule, FlagsModule, DeletionModule, TransferModule, TurnsModule, AgentThreadsModule],
  ],
})
export class ThreadsModule {}
