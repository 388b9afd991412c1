import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { Reporter } from '../bindings/reporter.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { Run } from '../entities/run.entity.js';
import { pendingCalls } from './thread-state.js';

/** What is asked of a run on the way from the one that made progress to the one that is shown. */
export interface ChainLink<Key = number> {
  key: Key;
  /** The run that called it, as far as it is known; null for none. */
  parent: Key | null;
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
const HELD = new Set<string>([RUN_STATUS.waiting, RUN_STATUS.approved, RUN_STATUS.rejected]);

/**
 * The run whose checkpoint is the thread's: the top of the chain of callers that begins with the run that last made progress, so that an
 * agent which dies while its sub-agent works finds its own memory. A circle ends the chain; so does a run that is held.
 * @param find null where a run is not to be seen
 */
export async function shownRun<Key, Link extends ChainLink<Key>>(
  current: Link,
  find: (key: Key) => Promise<Link | null>,
): Promise<Link> {
  const met = new Set<Key>();
  for (let shown = current; ;) {
    const { key, parent, isHeld } = shown;
    met.add(key);
    if (parent === null || isHeld || met.has(parent) || met.size >= MAX_LINKS) return shown;
    const found = await find(parent);
    if (!found) return shown;
    shown = found;
  }
}

/** A run of a chain with what the chain shows of it. */
export type HeadLink<Head extends RunHead = RunHead> = ChainLink & { head: Head };

/**
 * A run among those that called each other. For a person's decision it is held where who reports it may speak for its caller: nobody
 * else puts himself in the caller's place.
 * @param parentOf asked only where the run names a parent
 */
export async function chainLinkOf<Head extends RunHead>(
  head: Head,
  parentOf: (run: Run) => Promise<Pick<Run, 'run_no' | 'agent_id'> | null>,
): Promise<HeadLink<Head>> {
  const { row } = head;
  const parent = row.parent_trace_id === null ? null : await parentOf(row);
  if (!parent) return { key: row.run_no, parent: null, isHeld: false, head };
  const isHeld = isWaiting(head) && Reporter.of(row.reported_by).maySpeakFor(parent.agent_id);
  return { key: row.run_no, parent: parent.run_no, isHeld, head };
}

function isWaiting(head: RunHead): boolean {
  return HELD.has(head.row.status) || pendingCalls(head) !== null;
}
