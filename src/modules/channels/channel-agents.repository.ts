import { Injectable } from '@nestjs/common';
import { Database, type SqlSession } from '../../database/database.js';
import type { ChannelAgent } from './entities/channel-agent.entity.js';

const ORDER = 'ORDER BY channel_id, created_at, agent_name';

@Injectable()
export class ChannelAgentsRepository {
  constructor(private readonly database: Database) {}

  /** Of these channels, in the order in which they were bound. */
  async listOf(channelIds: readonly string[]): Promise<ChannelAgent[]> {
    if (channelIds.length === 0) return [];
    return (await this.database.read<ChannelAgent>(selectOf(channelIds.length), channelIds)).map(toAgent);
  }

  async findOf(session: SqlSession, channelId: string): Promise<ChannelAgent[]> {
    return (await session.query<ChannelAgent>(selectOf(1), [channelId])).map(toAgent);
  }

  async insert(session: SqlSession, agent: ChannelAgent): Promise<void> {
    const { channel_id, agent_name, is_default, command, created_at } = agent;
    await session.query(
      'INSERT INTO channel_agent (channel_id, agent_name, is_default, command, created_at) VALUES ($1, $2, $3, $4, $5)',
      [channel_id, agent_name, is_default, command, created_at],
    );
  }

  async setDefault(session: SqlSession, channelId: string, agentName: string): Promise<void> {
    await session.query('UPDATE channel_agent SET is_default = (agent_name = $1) WHERE channel_id = $2', [
      agentName,
      channelId,
    ]);
  }

  async delete(session: SqlSession, channelId: string, agentName: string): Promise<void> {
    await session.query('DELETE FROM channel_agent WHERE channel_id = $1 AND agent_name = $2', [channelId, agentName]);
  }
}

function selectOf(count: number): string {
  const marks = Array.from({ length: count }, (_, at) => `$${at + 1}`);
  return `SELECT * FROM channel_agent WHERE channel_id IN (${marks.join(', ')}) ${ORDER}`;
}

/** SQLite has no booleans. */
export function toAgent(row: ChannelAgent): ChannelAgent {
  return { ...row, is_default: Boolean(row.is_default) };
}
