import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { RunLauncher } from '../run-launcher.js';
import { FiringsRepository } from './firings.repository.js';

/** What every schedule works with. */
@Injectable()
export class FiringServices {
  constructor(
    readonly firings: FiringsRepository,
    readonly launcher: RunLauncher,
    readonly clock: Clock,
    readonly logger: Logger,
  ) {}
}
