import { Injectable } from '@nestjs/common';
import { joinAborts } from '../../../common/joined-abort.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { ChangeWaiter } from '../../../database/change-waiter.js';
import type { ThreadMatch } from '../list/thread-list.query.js';
import { ThreadVisibilityService } from '../visibility/thread-visibility.service.js';
import { ThreadChangesService, type NumberedChange } from './thread-changes.service.js';
import { formatPosition, positionIn, type Position } from './watermark.js';

/** Milliseconds that readers wait before they reconnect. */
const RECONNECT_MS = 1_000;
/** Milliseconds after which an idle reader gets its position, so that it need not start over. */
const POSITION_MS = 10_000;
/** Threads that a reader was told to forget; beyond that, some are told again. */
const LEFT_KEPT = 1_000;
/** Threads remembered as shown to a bound reader; it is not told when others disappear. */
const SHOWN_KEPT = 10_000;

@Injectable()
export class ThreadWatchService {
  openStreams = 0;

  constructor(
    private readonly changes: ThreadChangesService,
    private readonly visibility: ThreadVisibilityService,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * Server-sent events, from now or after the position, until the reader is gone or the process stops. At least once: every changed thread
   * is sent in its latest state; earlier states may be skipped. A bound reader only gets threads it sees, and learns that one was deleted
   * or is no longer visible only if the same stream told of it before.
   */
  async open(match: ThreadMatch, after: Position | null, gone: AbortSignal): Promise<AsyncGenerator<string>> {
    const head = await this.changes.join();
    const position = after ? positionIn(await this.changes.now(), after) : head;
    return this.follow(match, position, head, gone);
  }

  private async *follow(
    match: ThreadMatch,
    start: Position,
    head: Position,
    gone: AbortSignal,
  ): AsyncGenerator<string> {
    const { signal: end, release } = joinAborts(gone, this.shutdown.signal);
    const news = new ChangeWaiter((listener) => this.changes.subscribe(head, listener), end);
    const view = new WatchedThreads(match);
    let position = start;
    let told = { id: formatPosition(start), atMs: performance.now() };
    this.openStreams += 1;
    try {
      yield `retry: ${RECONNECT_MS}\nid: ${told.id}\n\n`;
      while (!end.aborted) {
        const step = await this.changes.stepAfter(position);
        for await (const { id, text } of this.texts(step?.changes ?? [], view)) {
          told = { id, atMs: performance.now() };
          yield text;
        }
        position = step?.next ?? position;
        const id = formatPosition(position);
        if (id !== told.id && performance.now() - told.atMs > POSITION_MS) {
          told = { id, atMs: performance.now() };
          yield `id: ${id}\n\n`;
        }
        if (!step) await news.next();
      }
    } finally {
      this.openStreams -= 1;
      news.stop();
      release();
    }
  }

  private async *texts(
    changes: readonly NumberedChange[],
    view: WatchedThreads,
  ): AsyncGenerator<{ id: string; text: string }> {
    for (const change of changes) {
      const { seenBy } = view.match;
      const type = view.told(change, seenBy === null || (await this.isSeen(change, seenBy)));
      if (type === null) continue;
      const data = type === 'left' ? leftData(change) : await this.changes.dataOf(change);
      if (data !== null) yield { id: change.id, text: eventText(type, data, change.id) };
    }
  }

  /** Whether the reader sees the thread now, which is later than the change. */
  private async isSeen({ threadId, look }: NumberedChange, seenBy: readonly string[]): Promise<boolean> {
    return look !== null && look.isOnlyOf(seenBy) && this.visibility.isVisible(threadId, seenBy);
  }
}

type ToldType = NumberedChange['type'] | 'left';

/** What one reader was told. */
class WatchedThreads {
  private readonly left = new Set<string>();
  /** The threads shown to a bound reader; null for readers that see everything. */
  private readonly shown: Set<string> | null;
  /** A thread keeps its id and agents; everything else in a filter may change. */
  private readonly mayLeave: boolean;

  constructor(readonly match: ThreadMatch) {
    this.shown = match.seenBy && new Set();
    this.mayLeave = match.statuses.length > 0 || match.model !== null || match.search !== null;
  }

  /** The event type to send for a change; null for none. */
  told(change: NumberedChange, isSeen: boolean): ToldType | null {
    const { threadId, look } = change;
    if (this.shown && !(look && isSeen)) return this.toldOfHidden(change, this.shown);
    if (look === null || look.passes(this.match)) {
      if (this.shown) keep(this.shown, threadId, SHOWN_KEPT);
      if (change.type === 'thread' || change.type === 'deleted') this.left.delete(threadId);
      return change.type;
    }
    const { agentId } = this.match;
    if (!this.mayLeave || change.type !== 'thread' || this.left.has(threadId)) return null;
    if (agentId !== null && !look.hasAgent(agentId)) return null;
    keep(this.left, threadId, LEFT_KEPT);
    return 'left';
  }

  /** For a thread that a bound reader does not see, or no longer sees. */
  private toldOfHidden({ threadId, type }: NumberedChange, shown: Set<string>): ToldType | null {
    if (!shown.delete(threadId)) return null;
    return type === 'deleted' ? type : 'left';
  }
}

/** Adds to the set, which forgets the oldest. */
function keep(set: Set<string>, threadId: string, atMost: number): void {
  set.delete(threadId);
  set.add(threadId);
  for (const oldest of set) {
    if (set.size <= atMost) break;
    set.delete(oldest);
  }
}

function leftData({ threadId, lastSeq }: NumberedChange): string {
  return JSON.stringify({ thread_id: threadId, last_seq: lastSeq });
}

/** JSON may hold line breaks between tokens, and each line needs its own `data:`. */
function eventText(type: string, data: string, id: string): string {
  const lines = /[\r\n]/.test(data) ? data.replaceAll(/\r\n|\r|\n/g, '\ndata: ') : data;
  return `id: ${id}\nevent: ${type}\ndata: ${lines}\n\n`;
}
