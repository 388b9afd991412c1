import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { joinAborts } from '../../../common/joined-abort.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { ChangeFeed } from '../../../database/change-feed.js';
import { ChangeWaiter } from '../../../database/change-waiter.js';
import { ThreadEventsRepository, type PagedEvent } from '../logs/thread-events.repository.js';
import { threadNotFound } from '../threads.contract.js';
import { formatEventId, type EventId } from './event-id.js';
import { liveEventText, type LiveEvent } from './live-event.json.js';
import { LiveRepository, type LiveThread } from './live.repository.js';
import type { LiveEventBuilder } from './live-event-builder.js';
import { LiveEventBuilderFactory } from './live-event-builder.factory.js';

/** Changes of each kind per read. */
const PAGE = 50;

interface Position {
  /** The reader has received everything up to this change. */
  seq: number;
  /** The last part of the next change that the reader has received; -1 for none. */
  part: number;
}

@Injectable()
export class ThreadStreamService {
  openStreams = 0;

  constructor(
    private readonly repository: LiveRepository,
    private readonly events: ThreadEventsRepository,
    private readonly eventBuilders: LiveEventBuilderFactory,
    private readonly feed: ChangeFeed,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * The live stream as server-sent events, from the latest checkpoint or after the event `after`. It ends when the thread is deleted, the
   * reader disconnects or the process stops.
   * @throws DomainError `not_found` for an unknown thread
   */
  async open(threadId: string, after: EventId | null, gone: AbortSignal): Promise<AsyncGenerator<string>> {
    const thread = await this.repository.find(threadId);
    if (!thread) throw threadNotFound();
    // An id that the thread has not reached belongs to an earlier thread of this name.
    return this.follow(thread, after && after.seq <= thread.lastSeq ? after : null, gone);
  }

  private async *follow(thread: LiveThread, after: EventId | null, gone: AbortSignal): AsyncGenerator<string> {
    const { signal: end, release } = joinAborts(gone, this.shutdown.signal);
    const changes = new ChangeWaiter((listener) => this.feed.subscribe(thread.pk, listener), end);
    this.openStreams += 1;
    try {
      const position = positionAfter(after, thread);
      const eventBuilder = await this.eventBuilders.create(thread, after && position.seq);
      if (!after) yield liveEventText(await eventBuilder.beginning(thread.latest), { seq: thread.lastSeq, part: null });
      while (!end.aborted) {
        const lastSeq = await this.repository.lastSeq(thread.pk);
        if (lastSeq === null) return;
        while (position.seq < lastSeq && !end.aborted) yield* this.page(thread, eventBuilder, position, lastSeq);
        await changes.next();
      }
    } catch (error) {
      // Deleted while the stream was reading it.
      if (!(error instanceof DomainError && error.kind === 'not_found')) throw error;
    } finally {
      this.openStreams -= 1;
      changes.stop();
      release();
    }
  }

  /** One page of changes up to `lastSeq`, both kinds in their common order; advances the position. */
  private async *page(
    thread: LiveThread,
    eventBuilder: LiveEventBuilder,
    position: Position,
    lastSeq: number,
  ): AsyncGenerator<string> {
    const reports = await this.repository.reportsAfter(thread.pk, position.seq, PAGE);
    const events = await this.events.after(thread.pk, position.seq, PAGE);
    // A kind with a full page may have more changes before the other kind's last. Changes after `lastSeq` were not read at the same moment.
    const full = [reports, events].filter(({ length }) => length === PAGE).map((rows) => rows.at(-1)!.seq);
    const upTo = Math.min(lastSeq, ...full);
    let toldSeq = position.seq;
    for (const change of inOrder(reports, events)) {
      if (change.seq > upTo) break;
      const told =
        'kind' in change
          ? eventBuilder.event(thread.id, await this.events.whole(change, change.kind === 'log'))
          : eventBuilder.report(await this.repository.whole(change));
      yield* numbered(told, change.seq, change.seq === position.seq + 1 ? position.part : -1);
      toldSeq = change.seq;
    }
    // Some changes cause no event. A reader that waits for one of them must learn that it has passed.
    if (toldSeq < upTo) yield `id: ${formatEventId({ seq: upTo, part: null })}\n\n`;
    Object.assign(position, { seq: upTo, part: -1 });
  }
}

function positionAfter(after: EventId | null, { lastSeq }: LiveThread): Position {
  if (!after) return { seq: lastSeq, part: -1 };
  return after.part === null ? { seq: after.seq, part: -1 } : { seq: after.seq - 1, part: after.part };
}

/** Numbers the events of one change and skips those up to `toldPart`, which the reader has received. */
async function* numbered(
  events: AsyncIterable<LiveEvent> | Iterable<LiveEvent>,
  seq: number,
  toldPart: number,
): AsyncGenerator<string> {
  let held: LiveEvent | null = null;
  for await (const event of events) {
    if (held) yield liveEventText(held, { seq, part: held.part });
    held = event.part > toldPart ? event : null;
  }
  if (held) yield liveEventText(held, { seq, part: null });
}

function* inOrder<Report extends { seq: number }>(
  reports: readonly Report[],
  events: readonly PagedEvent[],
): Generator<Report | PagedEvent> {
  let at = 0;
  for (const report of reports) {
    while (at < events.length && events[at]!.seq < report.seq) yield events[at++]!;
    yield report;
  }
  yield* events.slice(at);
}
