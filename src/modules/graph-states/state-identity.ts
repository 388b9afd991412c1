import { hash } from 'node:crypto';
import { invalidField } from '../../common/domain-error.js';
import { idFault } from '../../common/id-fault.js';

export interface StateAddress {
  threadId: string;
  /** The namespace: empty for the graph itself, the node's path for a subgraph. */
  ns: string;
  /** Null for the newest. */
  checkpointId: string | null;
  /** Null if not given. */
  agentId: string | null;
}

export interface StateName {
  ns: string;
  checkpointId: string;
}

export const MAX_NS = 512;
const MAX_ID_BYTES = 128;

/** A short name for what would be too long for a key. */
export function placeOf(agent: string, ns: string, checkpointId: string): string {
  return hash('sha256', JSON.stringify([agent, ns, checkpointId]), 'base64url');
}

/** Sorts like the id's bytes under every collation. */
export function positionOf(checkpointId: string): string {
  return Buffer.from(checkpointId).toString('hex');
}

/** What is wrong with a checkpoint's id beyond the rules for all ids; null if nothing is. */
export function checkpointIdFault(id: string): string | null {
  return Buffer.byteLength(id) > MAX_ID_BYTES ? `must be at most ${MAX_ID_BYTES} bytes long` : null;
}

/** What is wrong with a namespace or a task's path; null if nothing is. Either may be empty. */
export function pathFault(path: string): string | null {
  if ([...path].length > MAX_NS) return `must be at most ${MAX_NS} characters long`;
  if (/\p{Cc}/u.test(path)) return 'must not have control characters';
  return path.isWellFormed() ? null : 'must not have lone surrogates';
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
