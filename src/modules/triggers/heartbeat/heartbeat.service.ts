import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { noAnswer } from '../../../client/outage-notice.js';
import { Logger } from '../../../common/logger.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { RunSettings } from '../run-settings.js';
import { InvokeToken } from './invoke-token.js';
import { OwnAgents } from './own-agents.js';

const BEAT_MS = 15_000;
/** While the API is away: it wants to know soon after its start where the agents are. */
const AWAY_MS = 5_000;
/** In the notice of an outage. */
const PART = 'heartbeats';
/** Until this process listens, and has an address to tell. */
const NOT_YET_MS = 200;

/** Tells the API where each agent is and what starts it, at once and every 15 seconds. Nothing of it is ever logged: it carries a secret. */
@Injectable()
export class HeartbeatService implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private isStopped = false;
  private wasTaken = true;

  constructor(
    private readonly api: ProcessApi,
    private readonly own: OwnAgents,
    private readonly invokeToken: InvokeToken,
    private readonly settings: RunSettings,
    private readonly reporter: Reporter,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.next(0);
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private next(delayMs: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.beat().then((nextMs) => this.next(nextMs)), delayMs);
  }

  /** Answers when the next one is due. A beat that fails is made up for by that. */
  private async beat(): Promise<number> {
    const { agents } = this.settings;
    if (agents.some(({ name }) => this.own.endpointOf(name) === null)) return NOT_YET_MS;
    const events = agents.map(({ name }) => ({ type: 'heartbeat', data: this.beatOf(name) }));
    const { outage } = this.reporter;
    const url = this.settings.api.current;
    const answered = outage.expectAnswer(PART, url);
    try {
      const { status } = await this.api.send('/v1/runners/events', {
        method: 'POST',
        body: JSON.stringify({ events }),
      });
      outage.end(PART);
      this.note(status === 200);
      return BEAT_MS;
    } catch (error) {
      if (!this.isStopped) outage.begin(PART, noAnswer(url, error));
      return AWAY_MS;
    } finally {
      answered();
    }
  }

  private beatOf(name: string): Record<string, unknown> {
    return {
      agent_id: name,
      endpoint: this.own.endpointOf(name),
      invoke_token: this.invokeToken.value,
      triggers: this.own.triggersOf(name),
    };
  }

  private note(isTaken: boolean): void {
    if (!isTaken && this.wasTaken) this.logger.warn('the API refuses the heartbeats of some agents');
    this.wasTaken = isTaken;
  }
}
