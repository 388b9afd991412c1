import { Injectable } from '@nestjs/common';
import { Database, type SqlValue } from '../../../database/database.js';
import { isLong } from '../checkpoints/packed-columns.js';
import { itemMembers } from './thread-item.json.js';
import { itemsOfSql, placesSql, unpackItem, type LongItem, type PackedItem } from './thread-item.sql.js';

/** An item as JSON. */
export interface KnownItem {
  thread_pk: number;
  json: string;
}

type Version = number | string;

interface PlaceRow {
  pk: number;
  place: number;
  version: Version;
}

interface ItemRow extends PackedItem {
  version: Version;
}

interface Remembered {
  version: Version;
  json: string;
}

interface ReadLong {
  version: Version;
  item: LongItem;
}

/** Characters of all items together. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Pages of items that are remembered as JSON until their thread changes: whoever looks again mostly sees the same threads. */
@Injectable()
export class ListedItemsRepository {
  /** By the thread's number, the oldest first. */
  private readonly remembered = new Map<number, Remembered>();
  private length = 0;

  constructor(private readonly database: Database) {}

  /**
   * The items of the threads that a statement finds, all as they were when it ran; null where that cannot be told, because one changes
   * meanwhile. Those with long texts are there by their key alone.
   * @param page selects `pk` and `place`
   */
  async page(
    page: string,
    params: readonly SqlValue[],
    way: 'ASC' | 'DESC',
  ): Promise<((KnownItem | LongItem) & { place: number })[] | null> {
    const rows = await this.database.read<PlaceRow>(placesSql(this.database.dialect, page, way), params);
    const unknown = rows.filter(({ pk, version }) => this.remembered.get(pk)?.version !== version);
    const read = await this.read(unknown.map(({ pk }) => pk));
    const items: ((KnownItem | LongItem) & { place: number })[] = [];
    for (const { pk, place, version } of rows) {
      const row = read.get(pk) ?? this.remembered.get(pk);
      if (row?.version !== version) return null;
      items.push('item' in row ? { ...row.item, place } : { thread_pk: pk, json: row.json, place });
    }
    return items;
  }

  /** The items of these threads, which it remembers unless they are long. */
  private async read(pks: readonly number[]): Promise<Map<number, Remembered | ReadLong>> {
    const items = new Map<number, Remembered | ReadLong>();
    if (pks.length === 0) return items;
    for (const row of await this.database.read<ItemRow>(itemsOfSql(this.database.dialect, pks))) {
      const item = unpackItem(row);
      const { thread_pk: pk, version } = item;
      if (isLong<LongItem>(item)) {
        items.set(pk, { version, item });
        continue;
      }
      // One piece, where the text that was put together would keep all its parts.
      const json = Buffer.from(`{${itemMembers(item)}}`).toString();
      items.set(pk, { version, json });
      this.remember(pk, { version, json });
    }
    return items;
  }

  private remember(pk: number, item: Remembered): void {
    this.forget(pk);
    this.remembered.set(pk, item);
    this.length += item.json.length;
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
    this.length -= known.json.length;
  }
}
