import { Module } from '@nestjs/common';
import { TypeOrmModule } from '../../database/typeorm.module.js';
import { QueueModule } from '../../queue/queue.module.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { EffectsModule } from '../effects/effects.module.js';
import { RunnersModule } from '../runners/runners.module.js';
import { ThreadsModule } from '../threads/threads.module.js';
import { ConsoleAddress } from './console-address.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { NoticeDelivery } from './deliveries/notice-delivery.entity.js';
import { Notice } from './notice.entity.js';
import { NoticeVault } from './notice-vault.js';
import { NoticesController } from './notices.controller.js';
import { NoticesRecorder } from './notices.recorder.js';
import { NoticesRepository } from './notices.repository.js';
import { NoticesService } from './notices.service.js';
import { NoticeCallsService } from './sending/notice-calls.service.js';
import { NoticeChatsService } from './sending/notice-chats.service.js';
import { RunAnswersService } from './sending/run-answers.service.js';
import { NoticeLanes } from './sending/notice-lanes.js';
import { NoticeSenderService } from './sending/notice-sender.service.js';
import { NoticeWakesService } from './sending/notice-wakes.service.js';
import { AgentLooksService } from './watching/agent-looks.service.js';
import { DoubtLooksService } from './watching/doubt-looks.service.js';
import { MarkedNewsService } from './watching/marked-news.service.js';
import { DeliveriesRetentionService } from './deliveries/deliveries-retention.service.js';
import { NoticeTargetsService } from './notice-targets.service.js';
import { NoticeTestsService } from './notice-tests.service.js';
import { NoticeAttemptsService } from './sending/notice-attempts.service.js';
import { NoticeOutcomesService } from './sending/notice-outcomes.service.js';
import { NoticeLooksService } from './watching/notice-looks.service.js';
import { NoticeMarksRepository } from './watching/notice-marks.repository.js';

/** Tells other services what happens, with signed calls that survive crashes. */
@Module({
  imports: [
    QueueModule,
    ThreadsModule,
    EffectsModule,
    RunnersModule,
    ChannelsModule,
    TypeOrmModule.forFeature([Notice, NoticeDelivery]),
  ],
  controllers: [NoticesController, DeliveriesController],
  providers: [
    ...[NoticesService, NoticesRepository, NoticesRecorder, NoticeVault, ConsoleAddress],
    ...[DeliveriesService, DeliveriesRepository],
    ...[NoticeSenderService, NoticeLanes, NoticeCallsService, NoticeWakesService],
    ...[NoticeChatsService, RunAnswersService, NoticeAttemptsService, NoticeOutcomesService],
    ...[NoticeTargetsService, NoticeTestsService, DeliveriesRetentionService],
    ...[NoticeLooksService, DoubtLooksService, AgentLooksService, MarkedNewsService, NoticeMarksRepository],
  ],
})
export class NoticesModule {}
