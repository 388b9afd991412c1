import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { digestOf } from '../../common/digest.js';
import type { LongPoll } from '../../common/long-poll.js';
import { decodeCursor, encodeCursor } from '../../common/pagination.js';
import { threadNotFound } from '../threads/threads.contract.js';
import { isKnown, LongPollService, type PolledState, type WaitOptions } from '../../database/long-poll.service.js';
import type { Effect, EffectState } from './effect.entity.js';
import { agentOf, OwnAgents, type EffectAddress } from './effect-identity.js';
import { EffectLeasesService } from './effect-leases.service.js';
import type { Doubt } from './effect-rules.js';
import { effectJson, effectVersion } from './effect-view.js';
import { EffectsRepository, type EffectFilter, type EffectPosition } from './effects.repository.js';
import { oneOf } from './effects.service.js';

export type WantedState = EffectState | 'in_doubt';

export interface AllEffectsQuery {
  /** `decided`: settled by people, latest decision first. */
  state: WantedState | 'decided';
  agentId: string | null;
  limit: number;
  cursor: string | null;
}

export interface EffectsQuery {
  threadId: string;
  state: WantedState | null;
  traceId: string | null;
  agentId: string | null;
  limit: number;
  cursor: string | null;
}

/** A null body means "unchanged". */
export interface EffectResponse {
  etag: string;
  body: string | null;
}

interface Seen {
  effect: Effect;
  doubt: Doubt;
}

interface EffectLook extends PolledState {
  body: string;
}

const CURSOR = 'effects';
const DECIDED_CURSOR = 'decided-effects';
/** Effects read at once; each may be some megabytes long. */
const PAGE = 50;

/** Serves effects, and holds requests that wait for a change. */
@Injectable()
export class EffectsQueryService {
  constructor(
    private readonly effects: EffectsRepository,
    private readonly leases: EffectLeasesService,
    private readonly longPolls: LongPollService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param allowedAgents the agents that the caller may speak for; null for all
   * @throws DomainError `not_found`; `conflict` if several agents have an effect with this key; `unauthenticated` if the token ends during
   * the wait
   */
  one(
    address: EffectAddress,
    allowedAgents: readonly string[] | null,
    options: WaitOptions,
    request: LongPoll,
  ): Promise<EffectResponse> {
    return this.respond(() => this.lookAtOne(address, allowedAgents), options, request);
  }

  /**
   * A page of a thread's effects, oldest claim first.
   * @throws DomainError as `one`, and `invalid` for a cursor of another list
   */
  list(
    query: EffectsQuery,
    allowedAgents: readonly string[] | null,
    options: WaitOptions,
    request: LongPoll,
  ): Promise<EffectResponse> {
    return this.respond(() => this.lookAtList(query, allowedAgents), options, request);
  }

  /**
   * A page of all threads' effects in a state as JSON text, oldest claim first; decided ones latest decision first.
   * @param seenBy the agents that the caller's token is bound to; null for none
   */
  async ofAllThreads(
    { state, agentId, limit, cursor }: AllEffectsQuery,
    seenBy: readonly string[] | null,
  ): Promise<string> {
    const filter = { state, threadPk: null, traceId: null, agentId, seenBy };
    const { seen, next } = await this.page(filter, null, limit, cursor);
    return listJson(seen, next);
  }

  private async lookAtOne(
    { threadId, key, agentId }: EffectAddress,
    allowedAgents: readonly string[] | null,
  ): Promise<EffectLook> {
    const threadPk = await this.threadPk(threadId);
    const found = key.includes('\0') ? [] : await this.effects.readByKey(threadPk, key);
    const effect = oneOf(found, agentId, allowedAgents);
    const [doubt] = await this.leases.doubtsOf([effect], this.clock.nowMs());
    const { isInDoubt, dueMs } = doubt!;
    const etag = `"${effectVersion(effect, isInDoubt)}"`;
    return { threadPk, etag, body: effectJson(effect, isInDoubt), dueMs };
  }

  private async lookAtList(query: EffectsQuery, allowedAgents: readonly string[] | null): Promise<EffectLook> {
    const threadPk = await this.threadPk(query.threadId);
    const { state, traceId, agentId, limit, cursor } = query;
    const own = new OwnAgents(allowedAgents);
    const { seen, next, dueMs } = await this.page(
      { state, threadPk, traceId, agentId, seenBy: null },
      own,
      limit,
      cursor,
    );
    const versions = seen.map(({ effect, doubt }) => effectVersion(effect, doubt.isInDoubt));
    const etag = `"${threadPk}-${digestOf(`${versions.join()} ${next}`)}"`;
    return { threadPk, etag, body: listJson(seen, next), dueMs };
  }

  private async threadPk(threadId: string): Promise<number> {
    const pk = await this.effects.threadPk(threadId);
    if (pk === null) throw threadNotFound();
    return pk;
  }

  /** Reads on until the page is full: no column says whether an effect is in doubt. */
  private async page(
    {
      state,
      threadPk,
      traceId,
      agentId,
      seenBy,
    }: Pick<AllEffectsQuery, 'agentId'> &
      Pick<EffectFilter, 'threadPk' | 'traceId' | 'seenBy'> & { state: AllEffectsQuery['state'] | null },
    own: OwnAgents | null,
    limit: number,
    cursor: string | null,
  ): Promise<{ seen: Seen[]; next: string | null; dueMs: number | null }> {
    const filter = {
      ...{ threadPk, traceId, seenBy, agent: agentId === null ? null : agentOf(agentId) },
      state: state === 'in_doubt' ? ('undecided' as const) : state,
    };
    const isDecided = state === 'decided';
    const list = isDecided ? DECIDED_CURSOR : CURSOR;
    const timeOf = ({ settled_at, started_at }: Effect) => (isDecided ? settled_at! : started_at);
    let after: EffectPosition | null = cursor === null ? null : positionOf(list, cursor);
    const seen: Seen[] = [];
    let dueMs: number | null = null;
    for (;;) {
      const rows: Effect[] = await this.effects.list(filter, after, PAGE);
      const doubts = await this.leases.doubtsOf(rows, this.clock.nowMs());
      for (const [at, effect] of rows.entries()) {
        if (own && !own.has(effect.agent)) continue;
        const doubt = doubts[at]!;
        if (doubt.dueMs !== null) dueMs = Math.min(dueMs ?? Infinity, doubt.dueMs);
        if (state === 'in_doubt' && !doubt.isInDoubt) continue;
        if (seen.length === limit) {
          const last = seen.at(-1)!.effect;
          return { seen, next: encodeCursor(list, [timeOf(last), last.thread_pk, last.seq]), dueMs };
        }
        seen.push({ effect, doubt });
      }
      if (rows.length < PAGE) return { seen, next: null, dueMs };
      const last = rows.at(-1)!;
      after = { time: timeOf(last), thread_pk: last.thread_pk, seq: last.seq };
    }
  }

  private async respond(
    look: () => Promise<EffectLook>,
    options: WaitOptions,
    request: LongPoll,
  ): Promise<EffectResponse> {
    const { etag, body } = await this.longPolls.waitForChange(look, options, request);
    return { etag, body: isKnown(etag, options.knownEtags) ? null : body };
  }
}

function listJson(seen: readonly Seen[], next: string | null): string {
  const items = seen.map(({ effect, doubt }) => effectJson(effect, doubt.isInDoubt));
  return `{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(next)}}`;
}

function positionOf(list: string, cursor: string): EffectPosition {
  const [time, thread_pk, seq] = decodeCursor(list, cursor, ['bigint', 'integer', 'integer']) as number[];
  return { time: time!, thread_pk: thread_pk!, seq: seq! };
}
