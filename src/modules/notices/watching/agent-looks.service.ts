import { Injectable } from '@nestjs/common';
import { isoTime } from '../../../common/clock.js';
import { AgentsService, type AgentSeen } from '../../runners/agents/agents.service.js';
import { ConsoleAddress } from '../console-address.js';
import { idOfFact, type News } from '../notice-news.js';
import { MarkedNewsService } from './marked-news.service.js';

/** Without a heartbeat; they come every 15 seconds. */
export const SILENT_MS = 120_000;

/** Reports which agents fell silent, and which are back. */
@Injectable()
export class AgentLooksService {
  constructor(
    private readonly agents: AgentsService,
    private readonly news: MarkedNewsService,
    private readonly address: ConsoleAddress,
  ) {}

  /** A notice hears only about agents that were seen since it was created. */
  async lookForSilent(nowMs: number): Promise<void> {
    const told = await this.news.marks.told('agent_offline');
    for (const agent of await this.agents.silentSince(nowMs - SILENT_MS)) {
      if (told.has(agent.agentId)) continue;
      const news = this.newsOfAgent('agent_offline', agent, agent.lastSeenMs, nowMs);
      await this.news.tellOnce('agent_offline', agent.agentId, news, agent.lastSeenMs);
    }
  }

  async lookForReturned(nowMs: number): Promise<void> {
    const told = await this.news.marks.told('agent_offline');
    for (const agent of await this.agents.onlineAmong([...told.keys()])) {
      const toldAtMs = told.get(agent.agentId)!;
      const news = this.newsOfAgent('agent_online', agent, toldAtMs, nowMs);
      await this.news.tellEnd('agent_offline', agent.agentId, news, toldAtMs);
    }
  }

  private newsOfAgent(type: 'agent_offline' | 'agent_online', agent: AgentSeen, sinceMs: number, atMs: number): News {
    const { agentId, lastSeenMs } = agent;
    return {
      id: idOfFact(type, agentId, sinceMs),
      ...{ type, threadId: null, traceId: null, agentId, atMs },
      data: { agent_id: agentId, last_seen_at: isoTime(lastSeenMs), url: this.address.ofAgents },
    };
  }
}
