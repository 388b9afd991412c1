import { after, type Awaitable } from '../../../common/awaitable.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { Run } from '../entities/run.entity.js';
import { openCalls } from './thread-state.js';

/** What is asked of a run on the way from the one that made progress to the one that is shown. */
export interface ChainLink {
  traceId: string;
  /** The run that called it, by its own words; null where it names none. */
  parentTraceId: string | null;
  /** A person is to decide, or has decided and the run has not reported since: whoever waits for that looks here. */
  isHeld: boolean;
}

/** A run and its latest checkpoint. */
export interface RunHead {
  row: Run;
  latest: Checkpoint | null;
}

/** No chain is followed further. */
const MAX_LINKS = 64;
const HELD = new Set(['waiting_for_approval', 'approved', 'rejected']);

/**
 * The run whose checkpoint is the thread's: the top of the chain of parents that begins with the run that last made progress, so that an
 * agent which dies while its sub-agent works finds its own memory. A parent that the thread does not know, and a circle, end the chain;
 * so does a run that is held.
 * @param find the run of a trace, null where the thread does not know it
 */
export function shownRun<Link extends ChainLink>(
  current: Link,
  find: (traceId: string) => Awaitable<Link | null>,
  met: ReadonlySet<string> = new Set(),
): Awaitable<Link> {
  const { traceId, parentTraceId: parent, isHeld } = current;
  const seen = new Set(met).add(traceId);
  if (parent === null || isHeld || seen.has(parent) || seen.size >= MAX_LINKS) return current;
  return after(find(parent), (found) => (found ? shownRun(found, find, seen) : current));
}

/** The place to say which parents count, and for whom a run may be held: here nobody doubts what runs report. */
export function chainLinkOf<Head extends RunHead>(head: Head): ChainLink & { head: Head } {
  const { trace_id: traceId, parent_trace_id: parentTraceId, status } = head.row;
  return { traceId, parentTraceId, isHeld: HELD.has(status) || openCalls(head) !== null, head };
}
