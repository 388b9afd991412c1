import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { Logger } from '../../../../common/logger.js';
import { SingleFlight } from '../../../../common/single-flight.js';
import { AgentsService } from '../../../runners/agents/agents.service.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import { DispatchRepository } from './dispatch.repository.js';

/** Retries messages that wait for an agent as soon as it sends a heartbeat. */
@Injectable()
export class HeartbeatWakesService implements OnModuleInit, OnModuleDestroy {
  private readonly agents = new Set<string>();
  private readonly waking = new SingleFlight(() => this.wake());

  constructor(
    private readonly heartbeats: AgentsService,
    private readonly repository: DispatchRepository,
    private readonly work: WakeSignal,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.heartbeats.onHeartbeat((agentIds) => this.note(agentIds));
  }

  async onModuleDestroy(): Promise<void> {
    await this.waking.idle();
  }

  private note(agentIds: readonly string[]): void {
    for (const agentId of agentIds) this.agents.add(agentId);
    this.waking.wake();
  }

  private async wake(): Promise<void> {
    const agentIds = [...this.agents];
    this.agents.clear();
    try {
      if ((await this.repository.wakeWaiting(agentIds, this.clock.nowMs())) > 0) this.work.notify();
    } catch (error) {
      // They are tried again within 30 seconds anyway.
      this.logger.warn({ err: error }, 'messages waiting for agents were not woken');
    }
  }
}
