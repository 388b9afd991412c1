import { setMaxListeners } from 'node:events';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { SqlRow } from '../../../database/database.js';
import type { ChannelWork } from '../channel-work.js';
import type { Lanes } from './lanes.js';
import type { Lane } from './leases.repository.js';
import type { WorkLoop, WorkSource } from './work-loop.js';
import type { WorkLoops } from './work-loops.js';

/** Lanes that are worked on at once by one instance; an agent or a platform that does not answer holds one of them for some seconds. */
const CONCURRENCY = 128;

/** Works lanes off while the application runs: beside each other, but what is in one lane one after the other. */
export abstract class LaneWorker<Row extends SqlRow>
  implements WorkSource<Row>, OnApplicationBootstrap, OnModuleDestroy
{
  abstract readonly name: string;
  protected readonly stop = new AbortController();
  private readonly loop: WorkLoop<Row>;
  private unsubscribe: () => void = () => undefined;

  protected constructor(
    private readonly taken: Lanes<Row>,
    private readonly wakes: ChannelWork,
    loops: WorkLoops,
  ) {
    setMaxListeners(0, this.stop.signal); // every lane that waits for something listens
    this.loop = loops.create(this, CONCURRENCY);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.taken.open();
    this.unsubscribe = this.wakes.subscribe(() => this.loop.wake());
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    this.stop.abort();
    await this.loop.stop();
  }

  claim(limit: number): Promise<Lane<Row>[]> {
    return this.taken.claim(limit);
  }

  lookAtAll(): Promise<boolean> {
    return this.taken.lookAtAll();
  }

  renew(lanes: readonly Lane<Row>[]): Promise<void> {
    return this.taken.renew(lanes);
  }

  abstract work(lane: Lane<Row>): Promise<number | null>;

  abstract giveUp(lane: Lane<Row>): Promise<void>;
}
