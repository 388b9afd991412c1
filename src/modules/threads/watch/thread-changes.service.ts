import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { joinAborts } from '../../../common/joined-abort.js';
import { ChangeFeed } from '../../../database/change-feed.js';
import { ChangeWaiter } from '../../../database/change-waiter.js';
import { ThreadChangesRepository, type ThreadChange } from './thread-changes.repository.js';
import {
  formatPosition,
  positionOn,
  walkFrom,
  type ChangePlace,
  type Position,
  type Walk,
  type Watermark,
} from './watermark.js';

export interface ChangeStep {
  changes: readonly NumberedChange[];
  next: Position;
}

export interface NumberedChange extends ThreadChange {
  /** The position after it. */
  id: string;
}

/** Milliseconds between two looks, so that many changes are sent together. */
const PAUSE_MS = 50;
/** Milliseconds after a failed look. */
const RETRY_MS = 1_000;
/** Steps kept for readers that are slightly behind. */
const STEPS_KEPT = 12;

/**
 * Looks for changes of all threads once for all readers in this process. Readers move from one position to the next; those that have caught
 * up share one.
 */
@Injectable()
export class ThreadChangesService {
  private readonly steps = new Map<string, Promise<ChangeStep>>();
  private readonly listeners = new Set<() => void>();
  private looking: { head: Position; end: AbortController } | null = null;

  constructor(
    private readonly repository: ThreadChangesRepository,
    private readonly feed: ChangeFeed,
    private readonly shutdown: ShutdownSignal,
    private readonly logger: Logger,
  ) {}

  /** The position of readers that have caught up. Looks go on while anybody subscribes. */
  async join(): Promise<Position> {
    if (this.looking) return this.looking.head;
    return { from: await this.repository.now(), walk: null };
  }

  now(): Promise<Watermark> {
    return this.repository.now();
  }

  /** The change as exact JSON; null if its thread is gone. Long texts are read for each reader. */
  async dataOf(change: ThreadChange): Promise<string | null> {
    return change.data ?? this.repository.longData(change);
  }

  /**
   * Calls `listener` when there is something after the position of those that had caught up.
   * @param head the result of `join`
   * @returns an unsubscribe function
   */
  subscribe(head: Position, listener: () => void): () => void {
    this.listeners.add(listener);
    if (!this.looking) void this.look((this.looking = { head, end: new AbortController() }));
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.looking?.end.abort();
      this.looking = null;
      this.steps.clear();
    };
  }

  /**
   * The next few hundred changes at most; null for a reader that has caught up. A reader that is behind, or comes from another server, is
   * led to the common position.
   */
  stepAfter(position: Position): Promise<ChangeStep> | null {
    const key = formatPosition(position);
    const known = this.steps.get(key);
    if (known) return known;
    const head = this.looking?.head;
    if (!head?.from || formatPosition(head) === key) return null;
    const until = head.walk?.until ?? head.from;
    // A reader at the head waits.
    if (!position.walk && position.from === until) return null;
    // A reader from another server may be ahead and is led back. The head then takes the same way forwards, so only both ends identify a
    // step; with one end, the two would send each other round in a circle.
    const way = `${key} ${until}`;
    return this.steps.get(way) ?? this.keep(way, this.step(walkFrom(position, until)));
  }

  private async look(looking: { head: Position; end: AbortController }): Promise<void> {
    const { signal, release } = joinAborts(looking.end.signal, this.shutdown.signal);
    const changes = new ChangeWaiter((listener) => this.feed.subscribeToAll(listener), signal);
    try {
      while (!signal.aborted) {
        const isDone = await this.advance(looking, signal).catch((error: unknown) => {
          this.logger.warn({ err: error }, 'changed threads could not be read; retrying');
          return false;
        });
        if (isDone) await changes.next();
        await pause(isDone ? PAUSE_MS : RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    } finally {
      changes.stop();
      release();
    }
  }

  /** Moves the head to what is committed now. */
  private async advance(looking: { head: Position }, signal: AbortSignal): Promise<true> {
    const until = await this.repository.now();
    while (looking.head.from !== until && !signal.aborted) {
      const { next } = await this.keep(formatPosition(looking.head), this.step(walkFrom(looking.head, until)));
      if (signal.aborted) return true;
      looking.head = next;
      for (const listener of this.listeners) listener();
    }
    return true;
  }

  private async step(walk: Walk): Promise<ChangeStep> {
    const { changes, end } = await this.repository.page(walk);
    const next = positionOn(walk, end);
    let position: Position = walk.after ? positionOn(walk, walk.after) : { from: walk.from, walk: null };
    const numbered = changes.map((change, at): NumberedChange => {
      const following = changes[at + 1];
      // An approval or effect may be the last change of its thread: only a reader that got both has passed this place.
      if (!following) position = next;
      else if (!isSamePlace(change.place, following.place)) position = positionOn(walk, change.place);
      return { ...change, id: formatPosition(position) };
    });
    return { changes: numbered, next };
  }

  private keep(key: string, step: Promise<ChangeStep>): Promise<ChangeStep> {
    this.steps.set(key, step);
    step.catch(() => this.steps.delete(key));
    for (const oldest of this.steps.keys()) {
      if (this.steps.size <= STEPS_KEPT) break;
      this.steps.delete(oldest);
    }
    return step;
  }
}

function isSamePlace(one: ChangePlace, other: ChangePlace): boolean {
  return one.every((part, at) => part === other[at]);
}
