import { hash } from 'node:crypto';
import { invalidField } from '../../common/domain-error.js';
import { idFault } from '../../common/id-fault.js';

/** Which checkpoint of a thread is meant. */
export interface StateAddress {
  threadId: string;
  /** The namespace: empty for the graph itself, the path of its node for a graph within it. */
  ns: string;
  /** Null for the newest. */
  checkpointId: string | null;
  /** Null if it was not said. */
  agentId: string | null;
}

/** Names a checkpoint of a thread and an agent. */
export interface StateName {
  ns: string;
  checkpointId: string;
}

/** Characters of a namespace. */
export const MAX_NS = 512;
/** Bytes of a checkpoint's id. */
const MAX_ID_BYTES = 128;

/** One short name for what would be too long for the key of a row. */
export function placeOf(agent: string, ns: string, checkpointId: string): string {
  return hash('sha256', JSON.stringify([agent, ns, checkpointId]), 'base64url');
}

/** Sorts like the bytes of the id, whatever the collation of the database. */
export function positionOf(checkpointId: string): string {
  return Buffer.from(checkpointId).toString('hex');
}

/** What is wrong with the id of a checkpoint beside what any id may have; null if nothing is. */
export function checkpointIdFault(id: string): string | null {
  return Buffer.byteLength(id) > MAX_ID_BYTES ? `must be at most ${MAX_ID_BYTES} bytes long` : null;
}

/** What is wrong with a namespace or the path of a task; null if nothing is. Either may be empty. */
export function pathFault(path: string): string | null {
  if ([...path].length > MAX_NS) return `must be at most ${MAX_NS} characters long`;
  if (/\p{Cc}/u.test(path)) return 'must not have control characters';
  return path.isWellFormed() ? null : 'must not have halves of surrogate pairs';
}

/** @throws DomainError `invalid` */
export function assertStateIds({ threadId, agentId }: Pick<StateAddress, 'threadId' | 'agentId'>): void {
  const faults = [
    ['thread_id', idFault(threadId)],
    ['agent_id', agentId === null ? null : idFault(agentId)],
  ] as const;
  for (const [path, fault] of faults) if (fault !== null) throw invalidField(path, fault);
}

/**
 * @param within the path of the name, for the error
 * @throws DomainError `invalid`
 */
export function assertStateName({ ns, checkpointId }: StateName, within = ''): void {
  const faults = [
    ['checkpoint_id', idFault(checkpointId) ?? checkpointIdFault(checkpointId)],
    ['ns', pathFault(ns)],
  ] as const;
  for (const [path, fault] of faults) if (fault !== null) throw invalidField(`${within}${path}`, fault);
}
