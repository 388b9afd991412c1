import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { DispatchConfig } from '../../../config/dispatch.config.js';
import type { SqlRow } from '../../../database/database.js';
import { WorkLoop, type WorkSource } from './work-loop.js';

/** Makes the loops of this instance. */
@Injectable()
export class WorkLoops {
  constructor(
    private readonly config: DispatchConfig,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** @param concurrency lanes that are worked on at once */
  create<Row extends SqlRow>(source: WorkSource<Row>, concurrency: number): WorkLoop<Row> {
    const renewMs = (this.config.leaseSeconds * 1000) / 3;
    return new WorkLoop(source, { concurrency, renewMs }, this.clock, this.logger);
  }
}
