import { LEAF_BYTES, rowBytes } from '../../../database/sqlite-leaf.js';
import type { NewMessage } from './new-message.js';

/** Messages that stay together, so that a thread is read from few pages. */
const MAX_TOGETHER = 8;
/** Groups among which the next one is chosen. */
const MAX_CHOICE = 8;

/** Messages of one thread that stay together. */
interface Group {
  /** The largest first. */
  messages: readonly NewMessage[];
  /** What each of them takes from its page. */
  bytes: readonly number[];
}

/**
 * Puts messages in an order in which they fill the pages of SQLite's file. The table takes rows one behind the other, and the end of a page
 * is lost where the next row does not fit: a tenth of all, with messages of a kilobyte. Who reads names messages by their keys, so their
 * order in the table is free.
 */
export class MessagePages {
  /**
   * Bytes that are free on the last page. After a start, a transaction that failed, or one of very many messages, this may be wrong. It is
   * right again as soon as a row fits neither there nor on the page that really is the last.
   */
  private free = 0;

  /** @param threads the messages that a transaction adds, those of each thread in a list of its own */
  inOrder(threads: readonly (readonly NewMessage[])[]): NewMessage[] {
    const waiting: Group[] = [];
    for (const messages of threads) addGroups(messages, waiting);
    const ordered: NewMessage[] = [];
    while (waiting.length > 0) {
      const [{ messages, bytes }] = waiting.splice(this.nextAmong(waiting), 1) as [Group];
      const order: number[] = [];
      this.free = freeIn(costOf(bytes, this.free, order));
      for (const place of order) ordered.push(messages[place]!);
    }
    return ordered;
  }

  /** The place of the first group that loses nothing; else of the one that loses least, and of several the one that leaves least free. */
  private nextAmong(groups: readonly Group[]): number {
    let best = 0;
    let least = Infinity;
    for (let at = 0; at < groups.length && at < MAX_CHOICE; at++) {
      const cost = costOf(groups[at]!.bytes, this.free);
      if (cost <= LEAF_BYTES) return at;
      if (cost < least) {
        best = at;
        least = cost;
      }
    }
    return best;
  }
}

function addGroups(messages: readonly NewMessage[], groups: Group[]): void {
  for (let from = 0; from < messages.length; from += MAX_TOGETHER) {
    const sized = messages.slice(from, from + MAX_TOGETHER).map((message) => ({ message, bytes: bytesOf(message) }));
    sized.sort((a, b) => b.bytes - a.bytes);
    groups.push({ messages: sized.map(({ message }) => message), bytes: sized.map(({ bytes }) => bytes) });
  }
}

function bytesOf({ thread_pk, list, seq, digest, source, index }: NewMessage): number {
  const ofDigest = digest === null ? null : { textBytes: digest.length };
  return rowBytes([thread_pk, list, seq, ofDigest, { textBytes: source.lengthOf(index) }]);
}

/**
 * What it costs to write the rows of a group, in bytes: those that stay free on pages which it fills count before those that are free behind
 * it. The largest row that fits comes next; where none does, the largest one begins a page.
 * @param bytes of the rows, the largest first
 * @param free on the last page
 * @param order gets their places in the order in which they are written
 */
function costOf(bytes: readonly number[], free: number, order?: number[]): number {
  let [left, lost] = [free, 0];
  let waiting = (1 << bytes.length) - 1;
  while (waiting !== 0) {
    let next = firstOf(waiting, bytes, left);
    if (next === -1) {
      lost += left;
      left = LEAF_BYTES;
      next = firstOf(waiting, bytes, Infinity);
    }
    left -= bytes[next]!;
    waiting &= ~(1 << next);
    order?.push(next);
  }
  return lost * (LEAF_BYTES + 1) + left;
}

function freeIn(cost: number): number {
  return cost % (LEAF_BYTES + 1);
}

/** The first row of those that wait that takes no more than `most`; -1 where there is none. */
function firstOf(waiting: number, bytes: readonly number[], most: number): number {
  for (let at = 0; at < bytes.length; at++) if ((waiting & (1 << at)) !== 0 && bytes[at]! <= most) return at;
  return -1;
}
