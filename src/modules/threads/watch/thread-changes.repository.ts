import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';
import { LAST_CHANGE } from '../journal/store/change-number.js';
import { isLong } from '../checkpoints/packed-columns.js';
import type { FlagColumns, Flags } from '../flags/flags.contract.js';
import { ThreadFlagsService } from '../flags/thread-flags.service.js';
import { itemJson, itemMembers, type ThreadItemRow } from '../list/thread-item.json.js';
import { itemSql, itemsOfSql, unpackItem, type LongItem, type PackedItem } from '../list/thread-item.sql.js';
import { ThreadLook } from './thread-match.js';
import { changesOn, shortened, watermarkSql, type ChangePlace, type Walk, type Watermark } from './watermark.js';

export interface ThreadChange {
  type: 'thread' | 'approval' | 'effect' | 'deleted';
  place: ChangePlace;
  threadId: string;
  /** The thread now; null if it is gone. */
  look: ThreadLook | null;
  /** The thread's last change; 0 for a deleted thread. */
  lastSeq: number;
  /** Exact JSON; null for long data, which `longData` reads. */
  data: string | null;
}

/** Changes of each kind, in their common order. */
export interface ChangePage {
  changes: ThreadChange[];
  /** The place of a full page's last change; null if nothing is left. */
  end: ChangePlace | null;
}

interface PlaceRow {
  change_no: number;
  pk: number;
  seq: number;
}

interface EventRow extends PlaceRow {
  kind: 'approval' | 'effect';
  data: string | null;
  id: string;
  status: string;
  model: string;
  agents: string;
}

interface ItemRow extends PackedItem, FlagColumns {
  last_seq: number;
  thread_status: string;
  thread_model: string;
}

/** Threads, approvals, effects and deletions in a page, each. Their texts may be long. */
const PAGE = 50;
/** Bytes of an approval's or effect's data up to which its page includes it. */
const SHORT_BYTES = 16 * 1024;
/** The first columns. */
const BY_PLACE = 'ORDER BY 1, 2, 3';

/** Reads what changed between two moments, over all threads. */
@Injectable()
export class ThreadChangesRepository {
  constructor(
    private readonly database: Database,
    private readonly flags: ThreadFlagsService,
  ) {}

  async now(): Promise<Watermark> {
    const sql = watermarkSql(this.database.dialect, `(SELECT ${LAST_CHANGE})`);
    const [row] = await this.database.read<{ mark: string }>(sql);
    return shortened(row!.mark);
  }

  /** The current item of each changed thread, the changed approvals and effects, and the deleted threads. */
  async page(walk: Walk): Promise<ChangePage> {
    const where = (...columns: [string, string, string]) => changesOn(this.database.dialect, walk, columns);
    const ofEvents = where('e.change_no', 'e.thread_pk', 'e.seq');
    const [threads, approvals, effects, deleted] = await Promise.all([
      this.threads(where('t.change_no', 't.pk', 't.last_seq')),
      this.events('approval', ofEvents),
      this.events('effect', ofEvents),
      this.deleted(where('d.change_no', 'd.thread_pk', '0')),
    ]);
    const ends = [threads, approvals, effects, deleted]
      .filter((rows) => rows.length === PAGE)
      .map((rows) => placeOf(rows.at(-1)!));
    const end = ends.sort(comparePlaces)[0] ?? null;
    const isInPage = (row: PlaceRow) => end === null || comparePlaces(placeOf(row), end) <= 0;
    const changes = [
      ...(await this.items(threads.filter(isInPage))),
      ...approvals.filter(isInPage).map(eventChange),
      ...effects.filter(isInPage).map(eventChange),
      ...deleted.filter(isInPage).map(deletedChange),
    ];
    return { changes: changes.sort((a, b) => comparePlaces(a.place, b.place)), end };
  }

  /** The data of a change as exact JSON, for an item as it is now; null if its thread is gone. */
  async longData({ type, place: [, pk, seq] }: ThreadChange): Promise<string | null> {
    if (type !== 'thread') {
      const sql = `SELECT data FROM thread_event WHERE thread_pk = $1 AND seq = $2`;
      return (await this.database.read<{ data: string }>(sql, [pk, seq]))[0]?.data ?? null;
    }
    const params = [this.flags.silentBeforeMs(), pk];
    const sql = itemSql('pk', this.flags);
    const [row] = await this.database.read<ThreadItemRow & FlagColumns & { last_seq: number }>(sql, params);
    return row ? itemData(row, row.last_seq, (await this.flags.flagsOf([row]))(pk)) : null;
  }

  private threads(where: string): Promise<PlaceRow[]> {
    return this.database.read<PlaceRow>(
      `SELECT t.change_no, t.pk, t.last_seq AS seq FROM thread t${this.by('thread_by_change')}
       WHERE t.run_count > 0 AND ${where} ${BY_PLACE} LIMIT ${PAGE}`,
    );
  }

  private events(kind: EventRow['kind'], where: string): Promise<EventRow[]> {
    const data = `CASE WHEN octet_length(e.data) > ${SHORT_BYTES} THEN NULL ELSE COALESCE(e.data, 'null') END AS data`;
    return this.database.read<EventRow>(
      `SELECT e.change_no, e.thread_pk AS pk, e.seq, e.kind, ${data}, t.id, t.status, t.model, t.agents
       FROM thread_event e${this.by(`thread_event_${kind}s`)} CROSS JOIN thread t
       WHERE e.kind = '${kind}' AND t.pk = e.thread_pk AND ${where} ${BY_PLACE} LIMIT ${PAGE}`,
    );
  }

  private deleted(where: string): Promise<(PlaceRow & { thread_id: string })[]> {
    return this.database.read<PlaceRow & { thread_id: string }>(
      `SELECT d.change_no, d.thread_pk AS pk, 0 AS seq, d.thread_id FROM deletion_notice d
       WHERE ${where} ${BY_PLACE} LIMIT ${PAGE}`,
    );
  }

  /** In the order of the places; without threads that were deleted meanwhile. */
  private async items(places: readonly PlaceRow[]): Promise<ThreadChange[]> {
    if (places.length === 0) return [];
    const { dialect } = this.database;
    const sql = itemsOfSql(
      dialect,
      places.map(({ pk }) => pk),
      this.flags,
    );
    const rows = (await this.database.read<ItemRow>(sql, [this.flags.silentBeforeMs()])).map(unpackItem);
    const flagsOf = await this.flags.flagsOf(rows);
    const items = new Map(rows.map((row) => [row.thread_pk, row]));
    return places.flatMap((place) => {
      const row = items.get(place.pk);
      if (!row) return [];
      const { thread_id: threadId, last_seq: lastSeq, thread_status: status, thread_model: model, agents } = row;
      const look = new ThreadLook({ id: threadId, status, model, agents });
      const data = isLong<LongItem>(row) ? null : itemData(row, lastSeq, flagsOf(place.pk));
      return [{ type: 'thread', place: placeOf(place), threadId, look, lastSeq, data }];
    });
  }

  private by(index: string): string {
    return this.database.dialect === 'sqlite' ? ` INDEXED BY ${index}` : '';
  }
}

function itemData(row: ThreadItemRow, lastSeq: number, flags: Flags): string {
  return itemJson(itemMembers(row, [{ name: '"last_seq"', value: String(lastSeq) }]), flags);
}

function eventChange(row: EventRow): ThreadChange {
  const { id: threadId, seq: lastSeq, kind, data } = row;
  return { type: kind, place: placeOf(row), threadId, look: new ThreadLook(row), lastSeq, data };
}

function deletedChange(row: PlaceRow & { thread_id: string }): ThreadChange {
  const { thread_id: threadId } = row;
  const data = JSON.stringify({ thread_id: threadId });
  return { type: 'deleted', place: placeOf(row), threadId, look: null, lastSeq: 0, data };
}

function placeOf({ change_no, pk, seq }: PlaceRow): ChangePlace {
  return [change_no, pk, seq];
}

function comparePlaces(one: ChangePlace, other: ChangePlace): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
