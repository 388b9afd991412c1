import { ChatDeliveryService } from './chat-delivery.service.js';
import { ChatLanes } from './chat-lanes.js';
import { ChatSenderService } from './chat-sender.service.js';
import { ChatWorkService } from './chat-work.service.js';
import { OutboxOutcomesService } from './outbox-outcomes.service.js';
import { OutboxRepository } from './outbox.repository.js';
import { OutboxService } from './outbox.service.js';
import { SendPace } from './send-pace.js';

/** What working the outbox off takes. */
export const OUTBOX_PROVIDERS = [
  ...[OutboxRepository, SendPace, ChatLanes],
  ...[ChatSenderService, OutboxOutcomesService, ChatDeliveryService, ChatWorkService, OutboxService],
];
