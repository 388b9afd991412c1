import { EventEmitter, once } from 'node:events';
import type { ApiClient } from './api-client.js';
import { CliError, RefusalError } from './cli-error.js';
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

/** The members of a changed thread that matter here. */
interface ChangedThread {
  thread_id: string;
  started_at: string;
  last_seq: number;
}

const LAST_CHANGES = 10;
const NOT_FOUND = 404;
/** Threads whose position is known; of the others, what changed since the beginning is looked up. */
const KNOWN_THREADS = 10_000;
/** Changes of a thread that may have come between the beginning and the first that was heard of it. */
const LOOKED_BACK = 50;

/** Prints what happens in a thread, until the process is ended. @throws CliError when the thread is unknown or deleted, or the server refuses */
export async function tailThread(begin: string, options: TailOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const outage = new Outage(terminal);
  const threadId = await findThreadId(client, begin);
  const path = streamPath(threadId);
  const view = new LiveThreadView(options, terminal);
  try {
    const lastSeq = await presentSeq(new EventFollower(client, path, outage));
    const after = Math.max(0, lastSeq - (options.last ?? LAST_CHANGES));
    for await (const event of new EventFollower(client, path, outage, String(after)).events())
      await view.show(threadId, event);
  } catch (error) {
    if (isNotFound(error)) throw new CliError('The thread was deleted.');
    throw error;
  }
}

/** Prints what happens in all threads that match, until the process is ended. @throws CliError when the server is away at first, or refuses */
export async function tailThreads(options: TailOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const outage = new Outage(terminal);
  const query = filterQuery(options);
  const watch = new EventFollower(client, `/v1/threads/stream?${query}`, outage);
  const view = new LiveThreadView(options, terminal);
  const tail = new ThreadsTail(client, watch, { outage, view, isFiltered: query.size > 0 });
  await Promise.race([tail.hear(), tail.tell()]);
}

/** The number of a thread's last change: its stream begins with its latest checkpoint, under that number. */
async function presentSeq(follower: EventFollower): Promise<number> {
  for await (const { id } of follower.events()) return Number(id);
  return 0;
}

/** What was heard of a thread since it was told last. */
interface News {
  deleted: ServerEvent | null;
  changed: ChangedThread | null;
}

class ThreadsTail {
  /** Of threads that have not been told yet, the first changed first. */
  private readonly waiting = new Map<string, News>();
  /** Up to which id of its own stream each thread was told, the last told last. */
  private readonly told = new Map<string, string>();
  private readonly heard = new EventEmitter();

  constructor(
    private readonly client: ApiClient,
    private readonly watch: EventFollower,
    private readonly options: { outage: Outage; view: LiveThreadView; isFiltered: boolean },
  ) {}

  /** Notes which threads change. Of a thread that changes often only the last change is kept, so that what waits has a limit. */
  async hear(): Promise<void> {
    for await (const event of this.watch.events()) {
      if (event.event !== 'thread' && event.event !== 'deleted') continue;
      const thread = JSON.parse(event.data) as ChangedThread;
      const { deleted = null } = this.waiting.get(thread.thread_id) ?? {};
      const isDeleted = event.event === 'deleted';
      this.waiting.set(thread.thread_id, isDeleted ? { deleted: event, changed: null } : { deleted, changed: thread });
      this.heard.emit('thread');
    }
  }

  /** Prints what they bring, one thread after the other. */
  async tell(): Promise<void> {
    for (;;) {
      for (const [threadId, { deleted, changed }] of this.waiting) {
        this.waiting.delete(threadId);
        if (deleted) await this.tellDeletion(threadId, deleted);
        if (changed) await this.tellChanges(changed);
      }
      if (this.waiting.size === 0) await once(this.heard, 'thread');
    }
  }

  private async tellDeletion(threadId: string, event: ServerEvent): Promise<void> {
    const { view, isFiltered } = this.options;
    if (this.told.delete(threadId) || !isFiltered) await view.tell(threadId, event, 'The thread was deleted.');
  }

  private async tellChanges(thread: ChangedThread): Promise<void> {
    const { thread_id: threadId, last_seq: lastSeq } = thread;
    const told = this.told.get(threadId);
    if (told !== undefined && completeSeq(told) >= lastSeq) return;
    const { outage, view } = this.options;
    const follower = new EventFollower(this.client, streamPath(threadId), outage, told ?? this.firstId(thread));
    let isNew = told !== undefined;
    try {
      for await (const event of follower.events((id) => completeSeq(id) >= lastSeq)) {
        isNew ||= completeSeq(event.id) >= lastSeq || this.isNew(event);
        if (isNew) await view.show(threadId, event);
      }
    } catch (error) {
      // Deleted meanwhile: that is told next.
      if (!isNotFound(error)) throw error;
    }
    this.noteTold(threadId, follower.lastId);
  }

  /** The first change of a thread that began before this command was one of its last: which of them are new shows their time. */
  private firstId({ started_at, last_seq }: ChangedThread): string {
    return Date.parse(started_at) >= this.watch.beganAtMs ? '0' : String(Math.max(0, last_seq - LOOKED_BACK));
  }

  private isNew({ data }: ServerEvent): boolean {
    const times = JSON.parse(data) as { updated_at?: string; decided_at?: string | null; ts?: string } | null;
    const at = Date.parse(times?.updated_at ?? times?.decided_at ?? times?.ts ?? '');
    return at >= this.watch.beganAtMs;
  }

  private noteTold(threadId: string, id: string): void {
    this.told.delete(threadId);
    this.told.set(threadId, id);
    for (const oldest of this.told.keys()) {
      if (this.told.size <= KNOWN_THREADS) break;
      this.told.delete(oldest);
    }
  }
}

/** Of a thread's stream: the last change all of whose events have come. */
function completeSeq(id: string): number {
  const [seq, part] = id.split('.');
  return part === undefined ? Number(seq) : Number(seq) - 1;
}

function streamPath(threadId: string): string {
  return `/threads/${encodeURIComponent(threadId)}/stream`;
}

function isNotFound(error: unknown): boolean {
  return error instanceof RefusalError && error.status === NOT_FOUND;
}
