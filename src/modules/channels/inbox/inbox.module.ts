import { Module } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { FailureLimiter } from '../../../common/failure-limiter.js';
import { QueueModule } from '../../../queue/queue.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { MessagesModule } from '../messages/messages.module.js';
import { PlatformsModule } from '../platforms/platforms.module.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxService } from './inbox.service.js';
import { InboxWriter } from './inbox-writer.js';
import { PollingLeases } from './polling-leases.js';
import { PollingRepository } from './polling.repository.js';
import { PollingService } from './polling.service.js';
import { ReceiverController } from './receiver.controller.js';
import { ReceiverGate } from './receiver.responses.js';
import { ReceiverFaultsService } from './receiver-faults.service.js';
import { ReceiverService } from './receiver.service.js';
import { WebhookReader } from './webhook-reader.js';

/** Per address. */
const UNPROVEN_PER_MINUTE = 60;

/** Inbound updates, pushed or polled: proven, planned, stored. */
@Module({
  imports: [QueueModule, PlatformsModule, AccountsModule, MessagesModule],
  controllers: [ReceiverController],
  providers: [
    ...[
      ReceiverService,
      ReceiverGate,
      ReceiverFaultsService,
      WebhookReader,
      InboxService,
      InboxWriter,
      InboxRepository,
    ],
    {
      provide: FailureLimiter,
      useFactory: (clock: Clock) => new FailureLimiter(clock, UNPROVEN_PER_MINUTE),
      inject: [Clock],
    },
    ...[PollingRepository, PollingLeases, PollingService],
  ],
})
export class InboxModule {}
