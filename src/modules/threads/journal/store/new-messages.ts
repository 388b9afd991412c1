import type { TextList } from '../../../../common/text-list.js';
import { HISTORY, type Message, type MessageList } from '../../entities/message.entity.js';

export interface NewMessage extends Omit<Message, 'body'> {
  source: TextList;
  index: number;
}

/** The elements that a transaction adds to a thread's logs, in order. */
export class NewMessages {
  readonly all: NewMessage[] = [];
  private readonly byList: readonly [NewMessage[], NewMessage[]] = [[], []];
  private placesByDigest: Map<string, number[]> | null = null;
  private indexed = 0;

  add(message: NewMessage): void {
    this.all.push(message);
    this.byList[message.list].push(message);
  }

  /** The added element at a place of a log; null if there is none. */
  at(list: MessageList, place: number): NewMessage | null {
    const added = this.byList[list];
    return added[place - (added[0]?.seq ?? 0)] ?? null;
  }

  /** The places of the added messages by digest, ascending. Always the same map, which only grows. */
  get places(): ReadonlyMap<string, readonly number[]> {
    const messages = this.byList[HISTORY];
    const places = (this.placesByDigest ??= new Map<string, number[]>());
    for (; this.indexed < messages.length; this.indexed++) {
      const { digest, seq } = messages[this.indexed]!;
      const known = places.get(digest!);
      if (known) known.push(seq);
      else places.set(digest!, [seq]);
    }
    return places;
  }
}
