import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { joinAborts } from '../../common/joined-abort.js';
import { ShutdownSignal } from '../../common/shutdown-signal.js';
import { ChangeFeed } from '../../database/change-feed.js';
import { ChangeWaiter } from '../../database/change-waiter.js';
import type { Approval } from './approval.entity.js';
import { ThreadVisibilityService } from '../threads/visibility/thread-visibility.service.js';
import { approvalJson } from './approval-view.js';
import {
  ApprovalsRepository,
  PENDING,
  type ApprovalPosition,
  type ChangePosition,
  type PagedApproval,
} from './approvals.repository.js';

/** Something else that waits for a person and is reported to followers of approvals. */
export interface WaitingSource {
  /** The ids of what waits now, and when that changes by itself; null for never. */
  look(): Promise<{ ids: readonly string[]; dueMs: number | null }>;

  /** The record as JSON and its thread; null if deleted. */
  recordOf(id: string): Promise<{ json: string; threadId: string } | null>;

  /** Event names for what starts and stops waiting. */
  readonly opened: string;
  readonly closed: string;
}

/** An event's text and its thread. */
interface WaitingEvent {
  threadId: string;
  text: string;
}

/** The longest delay of a Node timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const PAGE = 200;
/** Transactions commit after their timestamps, and out of order, by less than this. */
const OVERLAP_MS = 10_000;

/** Tells followers when any approval opens or closes. */
@Injectable()
export class ApprovalsStreamService {
  openStreams = 0;
  private readonly sources: WaitingSource[] = [];

  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly visibility: ThreadVisibilityService,
    private readonly feed: ChangeFeed,
    private readonly clock: Clock,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /** Also reports what waits in this source. */
  addSource(source: WaitingSource): void {
    this.sources.push(source);
  }

  /**
   * Server-sent events: the pending approvals first, then every opening and closing, until the reader disconnects.
   * @param seenBy the agents that the reader's token is bound to; null for none
   */
  async *follow(seenBy: readonly string[] | null, gone: AbortSignal): AsyncGenerator<string> {
    for await (const { threadId, text } of this.events(seenBy, gone)) {
      if (await this.visibility.isVisible(threadId, seenBy)) yield text;
    }
  }

  private async *events(seenBy: readonly string[] | null, gone: AbortSignal): AsyncGenerator<WaitingEvent> {
    const { signal: end, release } = joinAborts(gone, this.shutdown.signal);
    const others = this.sources.map((source) => new TellerOfSource(source));
    let wake: () => void = () => undefined;
    const changes = new ChangeWaiter((listener) => {
      wake = listener;
      return this.feed.subscribeToAll(listener);
    }, end);
    let timer: NodeJS.Timeout | undefined;
    let sinceMs = this.clock.nowMs();
    const told = new Told(sinceMs);
    this.openStreams += 1;
    try {
      yield* this.pending(told, seenBy);
      while (!end.aborted) {
        const startedMs = this.clock.nowMs();
        // After the clock was set back, changes are dated before the last look.
        sinceMs = Math.min(sinceMs, startedMs);
        told.noteTime(startedMs);
        yield* this.changedSince(sinceMs - OVERLAP_MS, told);
        told.forgetBefore(sinceMs - 2 * OVERLAP_MS);
        sinceMs = startedMs;
        for (const other of others) yield* other.news();
        const dueMs = Math.min(...others.map((other) => other.dueMs ?? Infinity));
        if (dueMs !== Infinity) timer = setTimeout(wake, clampedDelay(dueMs - this.clock.nowMs())).unref();
        await changes.next();
        clearTimeout(timer);
      }
    } finally {
      this.openStreams -= 1;
      release();
      changes.stop();
      clearTimeout(timer);
    }
  }

  private async *pending(told: Told, seenBy: readonly string[] | null): AsyncGenerator<WaitingEvent> {
    let last: ApprovalPosition | null = null;
    for (;;) {
      const page: PagedApproval[] = await this.approvals.list({ ...PENDING, seenBy }, last, PAGE);
      for (const approval of page) if (told.isNews(approval)) yield* this.eventsOf(approval, 'opened');
      const end = page.at(-1);
      if (!end || page.length < PAGE) return;
      last = { ...end, time: end.created_at };
    }
  }

  /** The event of one approval; none if it was deleted meanwhile. */
  private async *eventsOf(paged: PagedApproval, waits: 'opened' | null = null): AsyncGenerator<WaitingEvent> {
    const approval = await this.approvals.whole(paged);
    if (approval) yield eventOf(approval, waits ?? (approval.reminded > 0 ? 'reminder' : 'opened'));
  }

  private async *changedSince(sinceMs: number, told: Told): AsyncGenerator<WaitingEvent> {
    let last: ChangePosition = { changed_at: sinceMs, thread_pk: 0, seq: 0 };
    for (;;) {
      const page = await this.approvals.findChangedAfter(last, PAGE);
      for (const approval of page) if (told.isNews(approval)) yield* this.eventsOf(approval);
      if (page.length < PAGE) return;
      last = page.at(-1)!;
    }
  }
}

/** Tells one reader what starts and stops waiting, by comparing each look with the one before. */
class TellerOfSource {
  /** When to look again even without a change; null for never. */
  dueMs: number | null = null;
  private told: ReadonlySet<string> = new Set();

  constructor(private readonly source: WaitingSource) {}

  async *news(): AsyncGenerator<WaitingEvent> {
    const { ids, dueMs } = await this.source.look();
    this.dueMs = dueMs;
    const now = new Set(ids);
    const before = this.told;
    this.told = now;
    for (const id of now) if (!before.has(id)) yield* this.event(this.source.opened, id);
    for (const id of before) if (!now.has(id)) yield* this.event(this.source.closed, id);
  }

  private async *event(name: string, id: string): AsyncGenerator<WaitingEvent> {
    const record = await this.source.recordOf(id);
    if (record !== null) yield { threadId: record.threadId, text: eventText(name, record.json) };
  }
}

function clampedDelay(ms: number): number {
  return Math.min(Math.max(0, ms) + 1, MAX_TIMER_MS);
}

/** What one reader was told, so that overlapping looks repeat nothing. */
class Told {
  private readonly seen = new Map<string, Pick<Approval, 'status' | 'changed_at'>>();

  /** @param startedMs closings before it are not reported */
  constructor(private startedMs: number) {}

  /** If the clock was set back past the start, reports some closings from before it rather than miss new ones. */
  noteTime(nowMs: number): void {
    if (nowMs < this.startedMs) this.startedMs = nowMs - OVERLAP_MS;
  }

  isNews(approval: Approval): boolean {
    const { thread_pk, run_no, attempt, step_index, digest, status, changed_at } = approval;
    const key = [thread_pk, run_no, attempt, step_index, digest].join(':');
    const before = this.seen.get(key);
    this.seen.set(key, { status, changed_at });
    if (before) return before.status !== status || before.changed_at !== changed_at;
    return status === 'pending' || changed_at >= this.startedMs;
  }

  forgetBefore(ms: number): void {
    for (const [key, { changed_at }] of this.seen) if (changed_at < ms) this.seen.delete(key);
  }
}

/** @param waits the event name if it is pending */
function eventOf(approval: Approval, waits: 'opened' | 'reminder'): WaitingEvent {
  const name = approval.status === 'pending' ? waits : 'closed';
  return { threadId: approval.thread_id, text: eventText(name, approvalJson(approval)) };
}

/** JSON may have line breaks between its tokens, and each line needs its own `data:`. */
function eventText(name: string, json: string): string {
  return `event: ${name}\ndata: ${json.replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n\n`;
}
