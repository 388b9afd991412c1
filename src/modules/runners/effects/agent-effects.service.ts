import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { agentOf, OwnAgents } from './effect-identity.js';
import type { Effect } from './effect.entity.js';
import { EffectLeasesService } from './effect-leases.service.js';
import { effectJson, effectVersion } from './effect-view.js';
import { EffectsRepository } from './effects.repository.js';

/** Effects of an agent in one thread that are looked at, the newest of them. */
const MAX_EFFECTS = 5000;
/** Effects whose texts are read at once. */
const PAGE = 20;
/** No more texts are read once there are so many bytes of them. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;

/** An effect as it is now. Without its texts, unless they were read. */
export interface AgentEffect extends Effect {
  in_doubt: boolean;
}

/** The effects of an agent in a thread, the oldest claim first. */
export interface AgentEffects {
  effects: readonly AgentEffect[];
  /** Changes with any of them. */
  version: string;
  /** When one of them changes by itself; null for never. */
  dueMs: number | null;
}

/** Tells what an agent has done in a thread. */
@Injectable()
export class AgentEffectsService {
  constructor(
    private readonly effects: EffectsRepository,
    private readonly leases: EffectLeasesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Outlines: without arguments, results and errors.
   * @param allowedAgents the agents that the caller may speak for; null for all. It sees no effects of others
   */
  async outlinesOf(threadPk: number, agentId: string, allowedAgents: readonly string[] | null): Promise<AgentEffects> {
    const agent = agentOf(agentId);
    const isSeen = new OwnAgents(allowedAgents).has(agent);
    const rows = isSeen ? await this.effects.outlinesOf(threadPk, agent, MAX_EFFECTS) : [];
    const doubts = await this.leases.doubtsOf(rows, this.clock.nowMs());
    const dues = doubts.map(({ dueMs }) => dueMs).filter((due) => due !== null);
    const effects = rows.map((row, i) => ({ ...row, in_doubt: doubts[i]!.isInDoubt })).reverse();
    return {
      effects,
      version: effects.map((effect) => effectVersion(effect, effect.in_doubt)).join(),
      dueMs: dues.length === 0 ? null : Math.min(...dues),
    };
  }

  /** The same effects with their texts; the newest of them where all would be too long. */
  async withTexts(outlines: readonly AgentEffect[]): Promise<AgentEffect[]> {
    const whole: AgentEffect[] = [];
    let bytes = 0;
    for (let end = outlines.length; end > 0 && bytes < MAX_TEXT_BYTES; end -= PAGE) {
      const page = outlines.slice(Math.max(0, end - PAGE), end);
      const { thread_pk, agent } = page[0]!;
      const texts = await this.effects.textsOf(
        thread_pk,
        agent,
        page.map(({ key }) => key),
      );
      const byKey = new Map(texts.map((one) => [one.key, one]));
      whole.unshift(
        ...page.flatMap((outline) => (byKey.has(outline.key) ? { ...outline, ...byKey.get(outline.key) } : [])),
      );
      for (const { args, result, error } of texts) bytes += `${args}${result}${error}`.length;
    }
    return whole;
  }
}

/** The record as JSON text. */
export function agentEffectJson(effect: AgentEffect): string {
  return effectJson(effect, effect.in_doubt);
}
