import { Injectable } from '@nestjs/common';
import { speaksFor } from '../../../common/bound-agents.js';
import { ENDED_STATUSES, RUN_STATUS, STATUS_NAMES } from '../../../common/contract/run-status.js';
import { cutText } from '../../../common/cut-text.js';
import { closestName } from '../../../common/likely-name.js';
import { decodeCursor, toPage } from '../../../common/pagination.js';
import type { Piece } from '../../../common/piece.js';
import { ListTextsRepository } from '../message-log/list-texts.repository.js';
import { flagMembers } from '../flags/flags.contract.js';
import { ThreadFlagsService } from '../flags/thread-flags.service.js';
import { itemMembers } from './thread-item.json.js';
import type { PresentFilter, ThreadFilter, ThreadListQuery, ThreadOrder, ThreadPosition } from './thread-list.query.js';
import { ThreadListRepository, type ListedThread } from './thread-list.repository.js';

/** Characters of an unknown status in a warning. */
const MAX_SHOWN = 100;
/** Characters of items that are sent together. */
const GATHERED = 64 * 1024;

@Injectable()
export class ThreadListService {
  constructor(
    private readonly repository: ThreadListRepository,
    private readonly texts: ListTextsRepository,
    private readonly flags: ThreadFlagsService,
  ) {}

  /**
   * One page as JSON, exactly as reported.
   * @throws DomainError `invalid` for a cursor of another list or order, before the first piece
   */
  async *page({ filter, order, limit, cursor, hasTotal, hasHistory }: ThreadListQuery): AsyncGenerator<Piece> {
    const after = cursor === null ? null : positionIn(cursor, order);
    const asked = await this.present(filter);
    const rows = asked
      ? await this.repository.page({ filter: asked, order, after, limit: limit + 1, isWithRows: hasHistory })
      : [];
    const total = asked && hasTotal ? await this.repository.count(asked) : 0;
    const page = toPage(rows, limit, scopeOf(order), ({ place, thread_pk }) => [place, thread_pk]);
    yield '{"items":[';
    yield* hasHistory ? this.withHistories(page.items) : this.items(page.items);
    const warnings = await this.warningsOf(filter);
    const told = warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : '';
    yield `],"next_cursor":${JSON.stringify(page.next_cursor)}${hasTotal ? `,"total":${total}` : ''}${told}}`;
  }

  /** The number of threads in each of these statuses, without unused statuses. */
  countByStatus(statuses: readonly string[]): Promise<Map<string, number>> {
    return this.repository.countByStatus(statuses);
  }

  async countSilent(): Promise<number> {
    const asked = await this.present({ ...ALL_THREADS, isSilent: true });
    return asked ? this.repository.count(asked) : 0;
  }

  /** Warns of statuses in the filter that are unknown to the server and that no thread visible to the reader has. */
  private async warningsOf({ statuses, seenBy }: ThreadFilter): Promise<string[]> {
    const warnings: string[] = [];
    for (const status of statuses) {
      if (STATUS_NAMES.includes(status)) continue;
      const asked = await this.present({ ...ALL_THREADS, statuses: [status], seenBy });
      const found = asked
        ? await this.repository.page({ filter: asked, order: NEWEST, after: null, limit: 1, isWithRows: false })
        : [];
      if (found.length === 0) warnings.push(unknownStatus(status));
    }
    return warnings;
  }

  /** The filter as it applies now; null if nothing can match. */
  private async present(filter: ThreadFilter): Promise<PresentFilter | null> {
    const asked = storable(filter);
    if (!asked) return null;
    const silentBeforeMs = this.flags.silentBeforeMs();
    const inDoubt = asked.isInDoubt === null ? [] : [...(await this.flags.threadsInDoubt(null))];
    const possible = await this.possibleStatuses(asked);
    if (possible === null) return { ...asked, silentBeforeMs, inDoubt };
    const isAsked = (status: string) => asked.statuses.length === 0 || asked.statuses.includes(status);
    const statuses = possible.filter(isAsked);
    const untilMs = asked.isSilent ? Math.min(asked.untilMs ?? Infinity, silentBeforeMs) : asked.untilMs;
    return statuses.length === 0 ? null : { ...asked, statuses, untilMs, silentBeforeMs, inDoubt };
  }

  /** The statuses of silent or open threads, for which the status index leads to the few; null for any. */
  private async possibleStatuses({ isSilent, isOpen }: ThreadFilter): Promise<string[] | null> {
    if (isSilent !== true && isOpen === null) return null;
    const underWay = await this.flags.statusesUnderWay();
    if (isSilent) return isOpen === false ? [] : underWay;
    return isOpen ? [...underWay, RUN_STATUS.waiting] : [...ENDED_STATUSES, RUN_STATUS.idle];
  }

  /** Reads one long item at a time to save memory. Skips threads that are deleted meanwhile. */
  private async *items(rows: readonly ListedThread[]): AsyncGenerator<Piece> {
    let text = '';
    let count = 0;
    for (const row of rows) {
      const item = await this.repository.json(row);
      if (item === null) continue;
      text += count++ > 0 ? `,${item}` : item;
      if (text.length < GATHERED) continue;
      yield text;
      text = '';
    }
    yield text;
  }

  /** Reads one history at a time to save memory. Skips threads that are deleted meanwhile. */
  private async *withHistories(rows: readonly ListedThread[]): AsyncGenerator<Piece> {
    let isFirst = true;
    for (const row of rows) {
      const item = await this.repository.whole(row);
      const texts = item && (await this.texts.of(item));
      if (!texts) continue;
      yield `${isFirst ? '' : ','}{${itemMembers(item)},"history":[`;
      yield texts.history;
      yield '],"history_meta":[';
      yield texts.historyMeta;
      yield `],${flagMembers(row.flags)}}`;
      isFirst = false;
    }
  }
}

function unknownStatus(status: string): string {
  const meant = closestName(status, STATUS_NAMES);
  return `status: no thread has the status ${JSON.stringify(cutText(status, MAX_SHOWN))}${meant === null ? '' : `; did you mean ${meant}?`}`;
}

const NEWEST: ThreadOrder = { sort: 'updated_at', isAscending: false };
const ALL_THREADS: ThreadFilter = {
  ...{ statuses: [], agentId: null, model: null, search: null, seenBy: null, traceId: null, traceIdPrefix: null },
  ...{ sinceMs: null, untilMs: null, isSilent: null, isInDoubt: null, isOpen: null },
};

function scopeOf({ sort, isAscending }: ThreadOrder): string {
  return `threads:${sort}:${isAscending ? 'asc' : 'desc'}`;
}

function positionIn(cursor: string, order: ThreadOrder): ThreadPosition {
  const kind = order.sort === 'total_cost_usd' ? 'double' : 'bigint';
  const [value, pk] = decodeCursor(scopeOf(order), cursor, [kind, 'integer']) as number[];
  return { value: value!, pk: pk! };
}

/**
 * The filter without values that no database stores; null if nothing can match. Stored texts never hold U+0000, and PostgreSQL rejects it.
 * A reader that asks for another's agent must not learn from the response time whether it exists.
 */
function storable(filter: ThreadFilter): ThreadFilter | null {
  if (filter.seenBy && filter.agentId !== null && !speaksFor(filter.seenBy, filter.agentId)) return null;
  const statuses = filter.statuses.filter(isStorable);
  const isLost = statuses.length === 0 && filter.statuses.length > 0;
  const { agentId, model, search, traceId, traceIdPrefix } = filter;
  const isStored = [agentId, model, search, traceId, traceIdPrefix].every(isStorable);
  return isLost || !isStored ? null : { ...filter, statuses };
}

function isStorable(text: string | null): boolean {
  return text === null || !text.includes('\0');
}
