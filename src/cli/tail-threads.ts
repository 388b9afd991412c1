import { EventEmitter, once } from 'node:events';
import { queryText, type ApiClient } from './api-client.js';
import { CliError, isRefusal } from './cli-error.js';
import { connect } from './connect.js';
import { EventFollower, Outage } from './event-follower.js';
import { findThreadId } from './ids.js';
import { LiveThreadView } from './live-thread-view.js';
import type { ServerEvent } from '../common/server-event-parser.js';
import type { Terminal } from './terminal.js';
import { filterQuery, type ThreadFilters } from './thread-filters.js';

export interface TailOptions extends ThreadFilters {
  last?: number;
  full?: boolean;
  json?: boolean;
}

/** The members of a changed thread that are used here. */
interface ChangedThread {
  thread_id: string;
  started_at: string;
  last_seq: number;
}

const LAST_CHANGES = 10;
/** Limit of threads whose position is kept; for others, changes since the start are searched again. */
const KNOWN_THREADS = 10_000;
/** Changes of an older thread to look back at first, and the factor by which that grows. */
const LOOKED_BACK = 50;
const FURTHER = 4;

/** Prints what happens in a thread, until the process is ended. @throws CliError when the thread is unknown or deleted, or the server refuses */
export async function tailThread(prefix: string, options: TailOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const outage = new Outage(terminal);
  const threadId = await findThreadId(client, prefix);
  const path = streamPath(threadId);
  const view = new LiveThreadView(options, terminal);
  try {
    const lastSeq = await presentSeq(new EventFollower(client, path, outage));
    const after = Math.max(0, lastSeq - (options.last ?? LAST_CHANGES));
    for await (const event of new EventFollower(client, path, outage, String(after)).events())
      await view.show(threadId, event);
  } catch (error) {
    if (isRefusal(error, 404)) throw new CliError('The thread was deleted.');
    throw error;
  }
}

/** Prints what happens in all threads that match, until the process is ended. @throws CliError when the server is away at first, or refuses */
export async function tailThreads(options: TailOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const outage = new Outage(terminal);
  const query = queryText(filterQuery(options));
  const watch = new EventFollower(client, `/v1/threads/stream?${query}`, outage);
  const view = new LiveThreadView(options, terminal);
  const tail = new AllThreadsTail(client, watch, { outage, view, isFiltered: query !== '' });
  await Promise.race([tail.collectChanges(), tail.printAll()]);
}

/** The number of a thread's last change: its stream begins with the latest checkpoint, under that number. */
async function presentSeq(follower: EventFollower): Promise<number> {
  for await (const { id } of follower.events()) return Number(id);
  return 0;
}

/** What happened to a thread since it was last printed. */
interface PendingChange {
  deleted: ServerEvent | null;
  changed: ChangedThread | null;
}

class AllThreadsTail {
  /** Changed threads not printed yet, in the order of their first change. */
  private readonly waiting = new Map<string, PendingChange>();
  /** The id in its own stream up to which each thread was printed, least recent first. */
  private readonly printed = new Map<string, string>();
  private readonly changes = new EventEmitter();

  constructor(
    private readonly client: ApiClient,
    private readonly watch: EventFollower,
    private readonly options: { outage: Outage; view: LiveThreadView; isFiltered: boolean },
  ) {}

  /** Records which threads change. Keeps only the last change of a thread, which bounds the queue. */
  async collectChanges(): Promise<void> {
    for await (const event of this.watch.events()) {
      if (event.event !== 'thread' && event.event !== 'deleted') continue;
      const thread = JSON.parse(event.data) as ChangedThread;
      const { deleted = null } = this.waiting.get(thread.thread_id) ?? {};
      const isDeleted = event.event === 'deleted';
      this.waiting.set(thread.thread_id, isDeleted ? { deleted: event, changed: null } : { deleted, changed: thread });
      this.changes.emit('thread');
    }
  }

  /** Prints the changes, one thread after the other. */
  async printAll(): Promise<void> {
    for (;;) {
      for (const [threadId, { deleted, changed }] of this.waiting) {
        this.waiting.delete(threadId);
        if (deleted) await this.printDeletion(threadId, deleted);
        if (changed) await this.printChanges(changed);
      }
      if (this.waiting.size === 0) await once(this.changes, 'thread');
    }
  }

  private async printDeletion(threadId: string, event: ServerEvent): Promise<void> {
    const { view, isFiltered } = this.options;
    if (this.printed.delete(threadId) || !isFiltered) await view.printNote(threadId, event, 'The thread was deleted.');
  }

  private async printChanges(thread: ChangedThread): Promise<void> {
    const { thread_id: threadId, last_seq: lastSeq } = thread;
    const printedId = this.printed.get(threadId);
    if (printedId !== undefined && completeSeq(printedId) >= lastSeq) return;
    let isNew = printedId !== undefined;
    let seq = 0;
    let lastId = printedId ?? '0';
    try {
      const follower = this.follower(threadId, printedId ?? (await this.firstId(thread)));
      for await (const event of follower.events((id) => completeSeq(id) >= lastSeq)) {
        // Only the first event of a change has the server's time: agents date their own messages.
        isNew ||= seqOf(event.id) >= lastSeq || (seqOf(event.id) > seq && this.isNew(event));
        seq = seqOf(event.id);
        if (isNew) await this.options.view.show(threadId, event);
      }
      lastId = follower.lastId;
    } catch (error) {
      // Deleted meanwhile; printed next.
      if (!isRefusal(error, 404)) throw error;
    }
    this.rememberPrinted(threadId, lastId);
  }

  /** An id after which the thread's stream has everything new, with few old events if possible. */
  private async firstId({ thread_id, started_at, last_seq }: ChangedThread): Promise<string> {
    if (Date.parse(started_at) >= this.watch.beganAtMs) return '0';
    for (let back = LOOKED_BACK; back < last_seq; back *= FURTHER) {
      const id = String(last_seq - back);
      if (!(await this.isNewAfter(thread_id, id, last_seq))) return id;
    }
    return '0';
  }

  /** Whether the first event after this one is new, so that earlier ones may be, too. */
  private async isNewAfter(threadId: string, id: string, lastSeq: number): Promise<boolean> {
    const follower = this.follower(threadId, id);
    for await (const event of follower.events((now) => completeSeq(now) >= lastSeq)) return this.isNew(event);
    return true;
  }

  private isNew({ data }: ServerEvent): boolean {
    return changedAt(JSON.parse(data) as ChangeTimes | null) >= this.watch.beganAtMs;
  }

  private follower(threadId: string, lastId: string): EventFollower {
    return new EventFollower(this.client, streamPath(threadId), this.options.outage, lastId);
  }

  private rememberPrinted(threadId: string, id: string): void {
    this.printed.delete(threadId);
    this.printed.set(threadId, id);
    for (const oldest of this.printed.keys()) {
      if (this.printed.size <= KNOWN_THREADS) break;
      this.printed.delete(oldest);
    }
  }
}

/** The times in the events of checkpoints and statuses, approvals, effects and log entries. */
interface ChangeTimes {
  updated_at?: string;
  decided_at?: string | null;
  created_at?: string;
  settled_at?: string | null;
  started_at?: string;
  ts?: string;
  at?: string;
}

/** NaN if unknown. */
function changedAt(times: ChangeTimes | null): number {
  const { updated_at, decided_at, created_at, settled_at, started_at, ts, at } = times ?? {};
  return Date.parse(updated_at ?? decided_at ?? created_at ?? settled_at ?? started_at ?? ts ?? at ?? '');
}

/** The change that caused an event of a thread's stream. */
function seqOf(id: string): number {
  return Number(id.split('.')[0]);
}

/** The last change in a thread's stream whose events have all arrived. */
function completeSeq(id: string): number {
  const [seq, part] = id.split('.');
  return part === undefined ? Number(seq) : Number(seq) - 1;
}

function streamPath(threadId: string): string {
  return `/threads/${encodeURIComponent(threadId)}/stream`;
}
