import { Injectable } from '@nestjs/common';
import { LaneWorker } from '../../../../queue/lane-worker.js';
import { WorkLoops } from '../../../../queue/work-loop.js';
import { ChatLanes, type ChatLane, type ChatRow } from './chat-lanes.js';
import { ChatSenderService } from './chat-sender.service.js';
import { ChatWorkService } from './chat-work.service.js';
import { SendPace } from './send-pace.js';

/** After an internal error. */
const RETRY_MS = 10_000;

/** Sends the messages of all chats: chats in parallel, the messages of one chat in turn. */
@Injectable()
export class OutboxService extends LaneWorker<ChatRow> {
  constructor(
    override readonly lanes: ChatLanes,
    private readonly chats: ChatWorkService,
    private readonly pace: SendPace,
    sender: ChatSenderService,
    loops: WorkLoops,
  ) {
    super('outbox', lanes, sender.calls, loops);
  }

  override lookAtAll(): Promise<boolean> {
    this.pace.forget();
    return super.lookAtAll();
  }

  work(lane: ChatLane): Promise<number | null> {
    return this.chats.work(lane, this.stop.signal);
  }

  async giveUp(lane: ChatLane): Promise<void> {
    await this.lanes.retry(lane, RETRY_MS);
  }
}
