import { RUN_STATUS } from '../../../../common/contract/run-status.js';
import { Reporter } from '../../bindings/reporter.js';
import { MAX_LINKS } from '../../bindings/run-kinship.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { Run } from '../../entities/run.entity.js';
import { pendingCalls } from './thread-state.js';

export interface ChainLink<Key = number> {
  key: Key;
  /** The run that called it; null if unknown. */
  parent: Key | null;
  /** A person must decide, or has decided and the run has not reported since. Waiting agents must see this run. */
  isHeld: boolean;
}

export interface RunHead {
  row: Run;
  latest: Checkpoint | null;
}

const HELD = new Set<string>([RUN_STATUS.waiting, RUN_STATUS.approved, RUN_STATUS.rejected]);

/**
 * The run that the thread shows: the top of the caller chain that begins with the run that last made progress, so that an agent which dies
 * while its sub-agent works finds its own memory. A circle or a held run ends the chain.
 * @param find returns null for a run that the reader must not see
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

export type HeadLink<Head extends RunHead = RunHead> = ChainLink & { head: Head };

/**
 * The run's link in the caller chain. A run that waits for a decision is held only if its reporter may speak for its caller: no other
 * reporter may put its run in the caller's place.
 * @param parentOf called only if the run names a parent
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
