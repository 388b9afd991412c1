import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { agentOf, OwnAgents } from './effect-identity.js';
import type { Effect } from './effect.entity.js';
import { EffectLeasesService } from './effect-leases.service.js';
import { effectJson, effectVersion } from './effect-view.js';
import { EffectsRepository, type EffectTexts } from './effects.repository.js';

/** An agent's newest effects in one thread that are read, besides unsettled ones. */
const MAX_EFFECTS = 5000;
/** Effects whose texts are read at once. */
const PAGE = 20;
/** No more texts are read beyond this many characters. */
const MAX_TEXT_LENGTH = 32 * 1024 * 1024;

/** An effect as it is now, with its texts only if they were read. */
export interface AgentEffect extends Effect {
  in_doubt: boolean;
  /** The texts were requested but are too long together. */
  areTextsLeftOut?: boolean;
}

/** An agent's effects in a thread, oldest claim first. */
export interface AgentEffects {
  effects: readonly AgentEffect[];
  /** False if older settled effects are left out. */
  isComplete: boolean;
  /** Changes with any of them. */
  version: string;
  /** When one of them changes by itself; null for never. */
  dueMs: number | null;
}

@Injectable()
export class AgentEffectsService {
  constructor(
    private readonly effects: EffectsRepository,
    private readonly leases: EffectLeasesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Without arguments, results and errors.
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

  /** The same effects with their texts, unsettled and then newest first, up to the limit. */
  async withTexts(outlines: readonly AgentEffect[]): Promise<AgentEffect[]> {
    const newestFirst = [...outlines].reverse();
    const wanted = [...newestFirst.filter(isOpen), ...newestFirst.filter((effect) => !isOpen(effect))];
    const texts = new Map<string, EffectTexts | null>();
    let length = 0;
    for (let from = 0; from < wanted.length && length < MAX_TEXT_LENGTH; from += PAGE) {
      const page = wanted.slice(from, from + PAGE);
      const { thread_pk, agent } = page[0]!;
      const keys = page.map(({ key }) => key);
      for (const key of keys) texts.set(key, null);
      for (const own of await this.effects.textsOf(thread_pk, agent, keys)) {
        texts.set(own.key, own);
        length += `${own.args}${own.result}${own.error}`.length;
      }
    }
    return outlines.flatMap((outline) => {
      const own = texts.get(outline.key);
      if (own === undefined) return { ...outline, areTextsLeftOut: true };
      // Null for one that has been deleted meanwhile.
      return own === null ? [] : { ...outline, ...own };
    });
  }

  /** Newest first. */
  private async rowsOf(threadPk: number, agent: string): Promise<Effect[]> {
    const newest = await this.effects.outlinesOf(threadPk, agent, MAX_EFFECTS);
    if (newest.length < MAX_EFFECTS) return newest;
    return [...newest, ...(await this.effects.openOutlinesBefore(newest.at(-1)!))];
  }
}

function isOpen({ state }: AgentEffect): boolean {
  return state === 'started';
}

export function agentEffectJson(effect: AgentEffect): string {
  const { in_doubt, areTextsLeftOut = false } = effect;
  return effectJson(areTextsLeftOut ? { ...effect, result_omitted: effect.state === 'completed' } : effect, in_doubt);
}
