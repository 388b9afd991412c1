import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Database, type SqlSession } from '../../../database/database.js';
import { ChannelAgentsRepository } from './channel-agents.repository.js';
import { agentBoundAlready, bindingNotFound, channelNotFound, commandTaken } from './channels.errors.js';
import { ChannelsRepository } from './channels.repository.js';
import type { ChannelAgent } from './channel-agent.entity.js';

export interface NewBinding {
  agentName: string;
  isDefault: boolean;
  /** With its leading slash; null for none. */
  command: string | null;
}

/** The agents that a channel talks to. If there are any, exactly one is the default. */
@Injectable()
export class ChannelAgentsService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsRepository,
    private readonly repository: ChannelAgentsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * The first agent always becomes the default. @throws DomainError `not_found`; `conflict` for an agent or a command that is already bound
   */
  async bind(channelId: string, { agentName, isDefault, command }: NewBinding): Promise<ChannelAgent> {
    return this.database.transaction(async (session) => {
      const others = await this.lockedAgents(session, channelId);
      if (others.some(({ agent_name }) => agent_name === agentName)) throw agentBoundAlready();
      if (command !== null && others.some((other) => other.command === command)) throw commandTaken(command);
      const isTheDefault = isDefault || others.length === 0;
      const place = { channel_id: channelId, created_at: nextAfter(others, this.clock.nowMs()) };
      const agent = { ...place, agent_name: agentName, is_default: isTheDefault, command };
      await this.repository.insert(session, agent);
      if (isTheDefault) await this.repository.setDefault(session, channelId, agentName);
      return agent;
    });
  }

  /** If the default is removed, the oldest remaining agent replaces it. @throws DomainError `not_found` */
  async unbind(channelId: string, agentName: string): Promise<void> {
    await this.database.transaction(async (session) => {
      const agents = await this.lockedAgents(session, channelId);
      const leaving = agents.find(({ agent_name }) => agent_name === agentName);
      if (!leaving) throw bindingNotFound();
      await this.repository.delete(session, channelId, agentName);
      const nextDefault = agents.find((agent) => agent !== leaving);
      if (leaving.is_default && nextDefault)
        await this.repository.setDefault(session, channelId, nextDefault.agent_name);
    });
  }

  private async lockedAgents(session: SqlSession, channelId: string): Promise<ChannelAgent[]> {
    if ((await this.channels.lock(session, channelId)) === null) throw channelNotFound();
    return this.repository.findOf(session, channelId);
  }
}

/** Bindings are ordered by creation time, so it is unique within a channel. */
function nextAfter(others: readonly ChannelAgent[], nowMs: number): number {
  return Math.max(nowMs, ...others.map(({ created_at }) => Number(created_at) + 1));
}
