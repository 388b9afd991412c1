import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Logger } from '../common/logger.js';
import { DispatchConfig } from '../config/dispatch.config.js';
import type { SqlRow } from '../database/database.js';
import { WakeSignal } from './wake-signal.js';
import { WorkLoop, type WorkSource } from './work-loop.js';

/** Makes the loops of this instance. */
@Injectable()
export class WorkLoops {
  constructor(
    private readonly config: DispatchConfig,
    private readonly wakes: WakeSignal,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  create<Row extends SqlRow>(source: WorkSource<Row>): WorkLoop<Row> {
    const renewMs = (this.config.leaseSeconds * 1000) / 3;
    return new WorkLoop(source, renewMs, this.wakes, this.clock, this.logger);
  }
}
