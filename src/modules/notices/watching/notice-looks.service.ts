import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, isoTime } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { Database, type SqlSession, type SqlValue } from '../../../database/database.js';
import { EffectDoubtsService, type DoubtNews } from '../../effects/effect-doubts.service.js';
import { AgentsService, type AgentSeen } from '../../runners/agents/agents.service.js';
import { ConsoleAddress } from '../console-address.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import { idOfFact, type News } from '../notice-news.js';
import { NoticesRepository } from '../notices.repository.js';
import { NoticeWakesService } from '../sending/notice-wakes.service.js';
import { NoticeMarksRepository, type MarkKind } from './notice-marks.repository.js';

const INTERVAL_MS = 15_000;
/** Without a heartbeat; they come every 15 seconds. */
const SILENT_MS = 120_000;
/** Longer between two looks, this server was asleep or too busy to hear heartbeats. */
const GAP_MS = 60_000;
/** How long marks of doubts that are over stay, for servers that looked a moment before. */
const MARK_KEPT_MS = 600_000;

/** Looks for what no commit tells: effects that get in doubt, agents that fall silent and come back. One of all servers tells each. */
@Injectable()
export class NoticeLooksService implements OnApplicationBootstrap, OnModuleDestroy {
  /** By the clock: since when heartbeats were heard without a gap. */
  private watchedSinceMs = Infinity;
  private lastLookMs = -Infinity;
  private readonly looks = new PeriodicJob(
    () => this.look(),
    (error) => this.logger.warn({ err: error }, 'doubts and silent agents could not be looked up; retrying'),
  );

  constructor(
    private readonly notices: NoticesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly marks: NoticeMarksRepository,
    private readonly wakes: NoticeWakesService,
    private readonly doubts: EffectDoubtsService,
    private readonly agents: AgentsService,
    private readonly address: ConsoleAddress,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.looks.start(INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    await this.looks.stop();
  }

  /** Tells what is new since the last look of any server. */
  async look(): Promise<void> {
    const nowMs = this.clock.nowMs();
    const gapMs = nowMs - this.lastLookMs;
    if (gapMs > GAP_MS || gapMs < 0) this.watchedSinceMs = nowMs;
    this.lastLookMs = nowMs;
    if (await this.notices.isWanted('effect_in_doubt')) await this.lookForDoubts(nowMs);
    if (!(await this.notices.isWanted('agent_offline', 'agent_online'))) return;
    if (nowMs - this.watchedSinceMs >= SILENT_MS) await this.lookForSilent(nowMs);
    await this.lookForReturned();
  }

  private async lookForDoubts(nowMs: number): Promise<void> {
    const { ids } = await this.doubts.look();
    const told = await this.marks.told('effect_in_doubt');
    for (const id of ids.filter((one) => !told.has(one))) {
      const doubt = await this.doubts.newsOf(id);
      if (doubt === null) continue;
      await this.tellOnce('effect_in_doubt', id, this.newsOfDoubt(id, doubt, nowMs), null);
    }
    const current = new Set(ids);
    const over = [...told.keys()].filter((id) => !current.has(id));
    await this.marks.forget('effect_in_doubt', over, nowMs - MARK_KEPT_MS);
  }

  /** A notice hears only of agents that were there since it was created. */
  private async lookForSilent(nowMs: number): Promise<void> {
    const told = await this.marks.told('agent_offline');
    for (const agent of await this.agents.silentSince(nowMs - SILENT_MS)) {
      if (told.has(agent.agentId)) continue;
      const news = this.newsOfAgent('agent_offline', agent, agent.lastSeenMs, nowMs);
      await this.tellOnce('agent_offline', agent.agentId, news, agent.lastSeenMs);
    }
  }

  private async lookForReturned(): Promise<void> {
    const told = await this.marks.told('agent_offline');
    for (const agent of await this.agents.onlineAmong([...told.keys()])) {
      const toldAtMs = told.get(agent.agentId)!;
      const news = this.newsOfAgent('agent_online', agent, toldAtMs, this.clock.nowMs());
      await this.store(news, toldAtMs, (session) => this.marks.unmark(session, 'agent_offline', agent.agentId));
    }
  }

  private tellOnce(kind: MarkKind, subject: string, news: News, createdBeforeMs: number | null): Promise<void> {
    return this.store(news, createdBeforeMs, (session) => this.marks.mark(session, kind, subject, news.atMs));
  }

  /** In the transaction that decides which server tells it. */
  private async store(
    news: News,
    createdBeforeMs: number | null,
    isMine: (session: SqlSession) => Promise<boolean>,
  ): Promise<void> {
    const { sql, params } = this.deliveries.insertStatement(news, createdBeforeMs);
    await this.database.transaction(async (session) => {
      if (await isMine(session)) await session.query(sql, params as readonly SqlValue[]);
    });
    this.wakes.wake();
  }

  private newsOfDoubt(id: string, doubt: DoubtNews, atMs: number): News {
    const { threadId, traceId, agentId, key, tool, startedAtMs } = doubt;
    return {
      id: idOfFact('doubt', id, startedAtMs),
      ...{ type: 'effect_in_doubt', threadId, traceId, agentId, atMs },
      data: {
        ...{ thread_id: threadId, trace_id: traceId, agent_id: agentId, key, tool },
        ...{ started_at: isoTime(startedAtMs), url: this.address.ofThread(threadId) },
      },
    };
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
