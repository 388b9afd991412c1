import { STATUSES_NOT_UNDER_WAY } from '../../../common/contract/run-status.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import type { SignOfLife } from './flags.contract.js';

/** The same on both databases: no status has a quote or a backslash. */
const NOT_UNDER_WAY = sqlTuple(STATUSES_NOT_UNDER_WAY, 'sqlite');

/** Condition for the column of a status. */
export function isUnderWaySql(status: string): string {
  return `${status} NOT IN ${NOT_UNDER_WAY}`;
}

/** Condition for a lease `l`: somebody held it since a time. */
export function wasHeldSql(sinceMs: string): string {
  return `COALESCE(l.released_at, l.expires_at) > ${sinceMs}`;
}

/**
 * Condition for a thread `t`: the run that it shows is under way, nobody is asked, and since a time there was no event in the thread, no
 * lease of one of its runs, and no other sign of life. It asks first what the row itself answers.
 */
export function isSilentSql(signs: readonly SignOfLife[], sinceMs: string): string {
  const agentId = '(SELECT s.agent_id FROM checkpoint s WHERE s.thread_pk = t.pk AND s.seq = t.latest_seq)';
  const heard = [
    // A start, a restart, the claim of an effect: not all of them are news of the thread.
    `COALESCE((SELECT e.created_at FROM thread_event e WHERE e.thread_pk = t.pk ORDER BY e.seq DESC LIMIT 1), 0) > ${sinceMs}`,
    `EXISTS (SELECT 1 FROM run_lease l WHERE l.thread_pk = t.pk AND ${wasHeldSql(sinceMs)})`,
    ...signs.map((sign) => sign.sql(agentId, sinceMs)),
  ];
  return `CASE WHEN t.updated_at > ${sinceMs} OR t.pending_approvals > 0 OR NOT ${isUnderWaySql('t.status')} THEN FALSE
    ELSE NOT (${heard.join(' OR ')}) END`;
}
