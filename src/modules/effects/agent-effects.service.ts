import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { agentOf, OwnAgents } from './effect-identity.js';
import type { Effect } from './effect.entity.js';
import { EffectLeasesService } from './effect-leases.service.js';
import { effectJson, effectVersion } from './effect-view.js';
import { EffectsRepository, type EffectTexts } from './effects.repository.js';

/** Effects of an agent in one thread that are looked at, the newest of them, beside those that are not settled. */
const MAX_EFFECTS = 5000;
/** Effects whose texts are read at once. */
const PAGE = 20;
/** No more texts are read once there are so many bytes of them. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;

/** An effect as it is now. Without its texts, unless they were read. */
export interface AgentEffect extends Effect {
  in_doubt: boolean;
  /** They were wanted, but there are too many of them. */
  areTextsLeftOut?: boolean;
}

/** The effects of an agent in a thread, the oldest claim first. */
export interface AgentEffects {
  effects: readonly AgentEffect[];
  /** Whether there are no more than these; otherwise older ones are left out that are settled. */
  isComplete: boolean;
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
    const rows = isSeen ? await this.rowsOf(threadPk, agent) : [];
    const doubts = await this.leases.doubtsOf(rows, this.clock.nowMs());
    const dues = doubts.map(({ dueMs }) => dueMs).filter((due) => due !== null);
    const effects = rows.map((row, i) => ({ ...row, in_doubt: doubts[i]!.isInDoubt })).reverse();
    return {
      effects,
      isComplete: rows.length < MAX_EFFECTS,
      version: effects.map((effect) => effectVersion(effect, effect.in_doubt)).join(),
      dueMs: dues.length === 0 ? null : Math.min(...dues),
    };
  }

  /** The same effects with their texts: those that are not settled first, then the newest, as far as all would not be too long. */
  async withTexts(outlines: readonly AgentEffect[]): Promise<AgentEffect[]> {
    const newestFirst = [...outlines].reverse();
    const wanted = [...newestFirst.filter(isOpen), ...newestFirst.filter((effect) => !isOpen(effect))];
    const texts = new Map<string, EffectTexts | null>();
    let bytes = 0;
    for (let from = 0; from < wanted.length && bytes < MAX_TEXT_BYTES; from += PAGE) {
      const page = wanted.slice(from, from + PAGE);
      const { thread_pk, agent } = page[0]!;
      const keys = page.map(({ key }) => key);
      for (const key of keys) texts.set(key, null);
      for (const own of await this.effects.textsOf(thread_pk, agent, keys)) {
        texts.set(own.key, own);
        bytes += `${own.args}${own.result}${own.error}`.length;
      }
    }
    return outlines.flatMap((outline) => {
      const own = texts.get(outline.key);
      if (own === undefined) return { ...outline, areTextsLeftOut: true };
      // Null for one that was deleted in between.
      return own === null ? [] : { ...outline, ...own };
    });
  }

  /** The newest first. */
  private async rowsOf(threadPk: number, agent: string): Promise<Effect[]> {
    const newest = await this.effects.outlinesOf(threadPk, agent, MAX_EFFECTS);
    if (newest.length < MAX_EFFECTS) return newest;
    return [...newest, ...(await this.effects.openOutlinesBefore(newest.at(-1)!))];
  }
}

function isOpen({ state }: AgentEffect): boolean {
  return state === 'started';
}

/** The record as JSON text. */
export function agentEffectJson(effect: AgentEffect): string {
  const { in_doubt, areTextsLeftOut = false } = effect;
  return effectJson(areTextsLeftOut ? { ...effect, result_omitted: effect.state === 'completed' } : effect, in_doubt);
}
