import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/domain-error.js';
import { ChannelAccountsService } from '../channels/accounts/channel-accounts.service.js';
import { ChannelAgentsService } from '../channels/accounts/channel-agents.service.js';
import { ChannelsService } from '../channels/accounts/channels.service.js';
import { AgentsService } from '../runners/agents/agents.service.js';
import { EXAMPLE_CHANNELS, exampleAgents, isExampleAgent } from './example-surroundings.js';

/** The agents and channels around the example threads. */
@Injectable()
export class ExampleSurroundings {
  constructor(
    private readonly agents: AgentsService,
    private readonly channels: ChannelsService,
    private readonly accounts: ChannelAccountsService,
    private readonly bindings: ChannelAgentsService,
  ) {}

  /** Leaves existing agents and channels unchanged. */
  async load(nowMs: number): Promise<void> {
    const examples = exampleAgents(nowMs);
    const known = new Set(await this.agents.knownAmong(examples.map(({ agentId }) => agentId)));
    const beats = examples
      .filter(({ agentId }) => !known.has(agentId))
      .map((agent) => ({ ...agent, endpoint: null, invokeToken: null, processId: null, queuedRuns: [] }));
    await this.agents.recordHeartbeats(beats, null);
    for (const channel of EXAMPLE_CHANNELS) await this.addChannel(channel);
  }

  /** Removes only what `load` added. */
  async remove(nowMs: number): Promise<void> {
    const names = exampleAgents(nowMs).map(({ agentId }) => agentId);
    await this.agents.forget(names, ({ triggers }) => isExampleAgent(triggers));
    for (const { order } of EXAMPLE_CHANNELS) {
      const found = (await this.accounts.findByType(order.type)).find(
        ({ account }) => account.config.bot_token === order.config.bot_token,
      );
      if (found) await ignoring('not_found', this.channels.delete(found.channel.id));
    }
  }

  private async addChannel({ order, agents }: (typeof EXAMPLE_CHANNELS)[number]): Promise<void> {
    const created = await ignoring('conflict', this.channels.create(order));
    if (created === null) return;
    const { id } = created.view.channel;
    await this.channels.change(id, { enabled: false });
    for (const agent of agents) await this.bindings.bind(id, agent);
  }
}

/** The result; null if it failed with this kind of error. */
export async function ignoring<Result>(kind: DomainError['kind'], work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError && error.kind === kind) return null;
    throw error;
  }
}
