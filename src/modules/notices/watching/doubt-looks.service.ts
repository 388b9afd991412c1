import { Injectable } from '@nestjs/common';
import { isoTime } from '../../../common/clock.js';
import { EffectDoubtsService, type DoubtNews } from '../../effects/effect-doubts.service.js';
import { ConsoleAddress } from '../console-address.js';
import { idOfFact, type News } from '../notice-news.js';
import { MarkedNewsService } from './marked-news.service.js';

/** How long marks of resolved doubts stay, for servers that looked just before. */
const MARK_KEPT_MS = 600_000;

@Injectable()
export class DoubtLooksService {
  constructor(
    private readonly doubts: EffectDoubtsService,
    private readonly news: MarkedNewsService,
    private readonly address: ConsoleAddress,
  ) {}

  async look(nowMs: number): Promise<void> {
    const { ids } = await this.doubts.look();
    const told = await this.news.marks.told('effect_in_doubt');
    for (const id of ids.filter((one) => !told.has(one))) {
      const doubt = await this.doubts.newsOf(id);
      if (doubt === null) continue;
      await this.news.tellOnce('effect_in_doubt', id, this.newsOfDoubt(id, doubt, nowMs), null);
    }
    const current = new Set(ids);
    const over = [...told.keys()].filter((id) => !current.has(id));
    await this.news.marks.forget('effect_in_doubt', over, nowMs - MARK_KEPT_MS);
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
}
