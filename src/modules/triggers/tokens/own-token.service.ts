import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { RunSettings } from '../run-settings.js';

const RETRY_MS = 5_000;
/** Open to every scope that may see other agents' work, and to none that only reports. */
const PROBE = '/approvals?limit=1';

/**
 * Checks once, when the API first answers, whether this process's token allows more than reporting. Programs run as the same user and can
 * read its environment and files.
 */
@Injectable()
export class OwnToken implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private isStopped = false;

  constructor(
    private readonly api: ProcessApi,
    private readonly settings: RunSettings,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    void this.look();
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    try {
      const { status } = await this.api.send(PROBE);
      if (status === 200) this.warn();
      if (status < 500) return;
    } catch {
      // The reporter logs outages.
    }
    if (!this.isStopped) this.timer = setTimeout(() => void this.look(), RETRY_MS);
  }

  private warn(): void {
    const agents = this.settings.agents.map(({ name }) => name);
    this.logger.warn(
      { agents },
      'this token may do more than report, and the programs of this process can read it: they could read all threads and approve their own calls. Use a runner token bound to these agents (waystation token create), in a container or as a separate user',
    );
  }
}
