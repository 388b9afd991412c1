import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ChannelWork } from '../channel-work.js';
import type { WorkLoop, WorkSource } from '../work/work-loop.js';
import { WorkLoops } from '../work/work-loops.js';
import { SessionLanes, type SessionLane, type SessionRow } from './session-lanes.js';
import { SessionWorkService } from './session-work.service.js';

/** Sessions that are worked on at once by one instance; an agent that does not answer holds one of them for some seconds. */
const CONCURRENCY = 128;
/** After a fault of our own. */
const RETRY_MS = 10_000;

/** Works the messages of all sessions off: beside each other, but those of one session one after the other. */
@Injectable()
export class DispatcherService implements WorkSource<SessionRow>, OnApplicationBootstrap, OnModuleDestroy {
  readonly name = 'dispatch';
  private readonly stop = new AbortController();
  private readonly loop: WorkLoop<SessionRow>;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly lanes: SessionLanes,
    private readonly sessions: SessionWorkService,
    private readonly wakes: ChannelWork,
    loops: WorkLoops,
  ) {
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

  claim(limit: number): Promise<SessionLane[]> {
    return this.lanes.claim(limit);
  }

  renew(lanes: readonly SessionLane[]): Promise<void> {
    return this.lanes.renew(lanes);
  }

  work(lane: SessionLane): Promise<number | null> {
    return this.sessions.work(lane, this.stop.signal);
  }

  async giveUp(lane: SessionLane): Promise<void> {
    await this.lanes.settle(lane, async (_session, nowMs) => nowMs + RETRY_MS);
  }
}
