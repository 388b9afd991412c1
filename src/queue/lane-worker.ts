import { setMaxListeners } from 'node:events';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { SqlRow } from '../database/database.js';
import type { CallWatch } from './call-watch.js';
import type { Lanes } from './lanes.js';
import type { Lane } from './leases.repository.js';
import type { WorkLoop, WorkSource, WorkLoops } from './work-loop.js';

/** Works on the lanes of one table while the application runs: many lanes at once, one thing at a time in each. */
export abstract class LaneWorker<Row extends SqlRow>
  implements WorkSource<Row>, OnApplicationBootstrap, OnModuleDestroy
{
  protected readonly stop = new AbortController();
  private readonly loop: WorkLoop<Row>;

  /** @param name for the log */
  protected constructor(
    readonly name: string,
    readonly lanes: Lanes<Row>,
    readonly calls: CallWatch,
    loops: WorkLoops,
  ) {
    setMaxListeners(0, this.stop.signal); // every waiting lane listens
    this.loop = loops.create(this);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.lanes.open();
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await this.loop.stop();
  }

  lookAtAll(): Promise<boolean> {
    return this.lanes.lookAtAll();
  }

  abstract work(lane: Lane<Row>): Promise<number | null>;

  abstract giveUp(lane: Lane<Row>): Promise<void>;
}
