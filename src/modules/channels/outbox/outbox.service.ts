import { setMaxListeners } from 'node:events';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ChannelWork } from '../channel-work.js';
import type { WorkLoop, WorkSource } from '../work/work-loop.js';
import { WorkLoops } from '../work/work-loops.js';
import { ChatLanes, type ChatLane, type ChatRow } from './chat-lanes.js';
import { ChatWorkService } from './chat-work.service.js';

/** Chats that are sent to at once by one instance; a platform that does not answer holds one of them for some seconds. */
const CONCURRENCY = 128;
/** After a fault of our own. */
const RETRY_MS = 10_000;

/** Works the messages to all chats off: beside each other, but those of one chat one after the other. */
@Injectable()
export class OutboxService implements WorkSource<ChatRow>, OnApplicationBootstrap, OnModuleDestroy {
  readonly name = 'outbox';
  private readonly stop = new AbortController();
  private readonly loop: WorkLoop<ChatRow>;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly lanes: ChatLanes,
    private readonly chats: ChatWorkService,
    private readonly wakes: ChannelWork,
    loops: WorkLoops,
  ) {
    setMaxListeners(0, this.stop.signal); // every chat that waits for its turn listens
    this.loop = loops.create(this, CONCURRENCY);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.lanes.open();
    this.unsubscribe = this.wakes.subscribe(() => this.loop.wake());
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    this.stop.abort();
    await this.loop.stop();
  }

  claim(limit: number): Promise<ChatLane[]> {
    return this.lanes.claim(limit);
  }

  renew(lanes: readonly ChatLane[]): Promise<void> {
    return this.lanes.renew(lanes);
  }

  work(lane: ChatLane): Promise<number | null> {
    return this.chats.work(lane, this.stop.signal);
  }

  async giveUp(lane: ChatLane): Promise<void> {
    await this.lanes.settle(lane, RETRY_MS);
  }
}
