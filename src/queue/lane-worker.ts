import { setMaxListeners } from 'node:events';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { SqlRow } from '../database/database.js';
import type { Lanes } from './lanes.js';
import type { CallWatch } from './call-watch.js';
import type { Lane, LaneScope } from './leases.repository.js';
import type { WorkLoop, WorkSource } from './work-loop.js';
import type { WorkLoops } from './work-loops.js';

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
    readonly calls: CallWatch,
    private readonly loops: WorkLoops,
  ) {
    setMaxListeners(0, this.stop.signal); // every lane that waits for something listens
    this.loop = loops.create(this);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.taken.open();
    this.unsubscribe = this.loops.wakes.subscribe(() => this.loop.wake());
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    this.stop.abort();
    await this.loop.stop();
  }

  claim(limit: number, scope: LaneScope): Promise<Lane<Row>[]> {
    return this.taken.claim(limit, scope);
  }

  findDue(among: ReadonlySet<string>): Promise<string[]> {
    return this.taken.findDue(among);
  }

  calledFor(lane: Lane<Row>): string {
    return this.taken.calledFor(lane);
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
