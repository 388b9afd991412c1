import { Injectable } from '@nestjs/common';
import { Database, type SqlValue } from '../../../database/database.js';
import { isLong } from '../checkpoints/packed-columns.js';
import type { FlagColumns } from '../flags/flags.contract.js';
import { ThreadFlagsService } from '../flags/thread-flags.service.js';
import { itemMembers } from './thread-item.json.js';
import { itemsOfSql, placesSql, unpackItem, type LongItem, type PackedItem, type PageSql } from './thread-item.sql.js';

/** An item as JSON, without its flags and the braces. */
export interface KnownItem {
  thread_pk: number;
  members: string;
}

type Version = number | string;

interface PlaceRow extends FlagColumns {
  thread_pk: number;
  place: number;
  version: Version;
}

interface ItemRow extends PackedItem {
  version: Version;
}

interface Remembered {
  version: Version;
  members: string;
}

interface ReadLong {
  version: Version;
  item: LongItem;
}

/** Most characters of all cached items together. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Caches items as JSON until their thread changes: repeated lists mostly show the same ones. Flags are read each time. */
@Injectable()
export class ListedItemsRepository {
  /** By thread number, oldest first. */
  private readonly remembered = new Map<number, Remembered>();
  private length = 0;

  constructor(
    private readonly database: Database,
    private readonly flags: ThreadFlagsService,
  ) {}

  /** The items that a statement selects, all as of that moment; null if one changes meanwhile. Of items with long texts, only the keys. */
  async page(
    page: PageSql,
    params: readonly SqlValue[],
  ): Promise<((KnownItem | LongItem) & FlagColumns & { place: number })[] | null> {
    const rows = await this.database.read<PlaceRow>(placesSql(this.database.dialect, page, this.flags), params);
    const unknown = rows.filter(({ thread_pk, version }) => this.remembered.get(thread_pk)?.version !== version);
    const read = await this.read(unknown.map(({ thread_pk }) => thread_pk));
    const items: ((KnownItem | LongItem) & FlagColumns & { place: number })[] = [];
    for (const { version, ...place } of rows) {
      const row = read.get(place.thread_pk) ?? this.remembered.get(place.thread_pk);
      if (row?.version !== version) return null;
      items.push('item' in row ? { ...row.item, ...place } : { members: row.members, ...place });
    }
    return items;
  }

  /** Reads these threads' items and caches them unless they are long. */
  private async read(pks: readonly number[]): Promise<Map<number, Remembered | ReadLong>> {
    const items = new Map<number, Remembered | ReadLong>();
    if (pks.length === 0) return items;
    const sql = itemsOfSql(this.database.dialect, pks, this.flags);
    for (const row of await this.database.read<ItemRow>(sql, [this.flags.silentBeforeMs()])) {
      const item = unpackItem(row);
      const { thread_pk: pk, version } = item;
      if (isLong<LongItem>(item)) {
        items.set(pk, { version, item });
        continue;
      }
      // A flat copy: a concatenated string would keep all its parts in memory.
      const members = Buffer.from(itemMembers(item)).toString();
      items.set(pk, { version, members });
      this.remember(pk, { version, members });
    }
    return items;
  }

  private remember(pk: number, item: Remembered): void {
    this.forget(pk);
    this.remembered.set(pk, item);
    this.length += item.members.length;
    if (this.length <= MAX_LENGTH) return;
    for (const oldest of this.remembered.keys()) {
      this.forget(oldest);
      if (this.length <= MAX_LENGTH) return;
    }
  }

  private forget(pk: number): void {
    const known = this.remembered.get(pk);
    if (!known) return;
    this.remembered.delete(pk);
    this.length -= known.members.length;
  }
}
