import { STATUSES_NOT_UNDER_WAY } from '../../../common/contract/run-status.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import type { SignOfLife } from './flags.contract.js';

/** Identical on both databases: no status has a quote or a backslash. */
const NOT_UNDER_WAY = sqlTuple(STATUSES_NOT_UNDER_WAY, 'sqlite');

export function isUnderWaySql(status: string): string {
  return `${status} NOT IN ${NOT_UNDER_WAY}`;
}

export function wasHeldSql(sinceMs: string): string {
  return `COALESCE(l.released_at, l.expires_at) > ${sinceMs}`;
}

/**
 * Condition for a thread `t`: the shown run is in progress, no tool calls wait for a person, and since a time the thread had no event, no
 * held lease and no other sign of life. Checks the row's own columns first.
 */
export function isSilentSql(signs: readonly SignOfLife[], sinceMs: string): string {
  const agentId = '(SELECT s.agent_id FROM checkpoint s WHERE s.thread_pk = t.pk AND s.seq = t.latest_seq)';
  const heard = [
    // A start, a restart or an effect's claim: not all of these set `updated_at`.
    `COALESCE((SELECT e.created_at FROM thread_event e WHERE e.thread_pk = t.pk ORDER BY e.seq DESC LIMIT 1), 0) > ${sinceMs}`,
    `EXISTS (SELECT 1 FROM run_lease l WHERE l.thread_pk = t.pk AND ${wasHeldSql(sinceMs)})`,
    ...signs.map((sign) => sign.sql(agentId, sinceMs)),
  ];
  return `CASE WHEN t.updated_at > ${sinceMs} OR t.pending_approvals > 0 OR NOT ${isUnderWaySql('t.status')} THEN FALSE
    ELSE NOT (${heard.join(' OR ')}) END`;
}
