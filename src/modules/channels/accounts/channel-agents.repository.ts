import { Injectable } from '@nestjs/common';
import { InjectRepository } from '../../../database/typeorm.module.js';
import { In, Repository, type FindOptionsOrder } from 'typeorm';
import type { SqlSession } from '../../../database/database.js';
import { PortDataSource } from '../../../database/port-data-source.js';
import { ChannelAgent } from './channel-agent.entity.js';

/** By binding time. */
const ORDER: FindOptionsOrder<ChannelAgent> = { channel_id: 'ASC', created_at: 'ASC', agent_name: 'ASC' };

@Injectable()
export class ChannelAgentsRepository {
  constructor(
    @InjectRepository(ChannelAgent) private readonly agents: Repository<ChannelAgent>,
    private readonly entities: PortDataSource,
  ) {}

  /** The agents of these channels, by binding time. */
  async listOf(channelIds: readonly string[]): Promise<ChannelAgent[]> {
    if (channelIds.length === 0) return [];
    return this.agents.find({ where: { channel_id: In(channelIds) }, order: ORDER });
  }

  findOf(session: SqlSession, channelId: string): Promise<ChannelAgent[]> {
    return this.within(session).find({ where: { channel_id: channelId }, order: ORDER });
  }

  async insert(session: SqlSession, agent: ChannelAgent): Promise<void> {
    await this.within(session).insert(agent);
  }

  async setDefault(session: SqlSession, channelId: string, agentName: string): Promise<void> {
    const agents = this.within(session);
    await agents.update({ channel_id: channelId }, { is_default: false });
    await agents.update({ channel_id: channelId, agent_name: agentName }, { is_default: true });
  }

  async delete(session: SqlSession, channelId: string, agentName: string): Promise<void> {
    await this.within(session).delete({ channel_id: channelId, agent_name: agentName });
  }

  private within(session: SqlSession): Repository<ChannelAgent> {
    return this.entities.within(session).getRepository(ChannelAgent);
  }
}
