import { isoTimeOrNull } from '../../../common/clock.js';
import type { ApprovalRule } from './approval-rule.entity.js';

/** The record of a rule as JSON text, with its members as stored. */
export function ruleJson(row: ApprovalRule, nowMs: number): string {
  const head = JSON.stringify({ id: row.id, status: statusOf(row, nowMs) });
  const tail = JSON.stringify({
    uses: Number(row.uses),
    last_used_at: isoTimeOrNull(row.last_used_at),
    created_at: isoTimeOrNull(row.created_at),
    created_by: row.created_by,
    created_through: row.created_through,
    revoked_at: isoTimeOrNull(row.revoked_at),
    revoked_by: row.revoked_by,
    revoked_through: row.revoked_through,
  });
  return `${head.slice(0, -1)},${row.rule.slice(1, -1)},${tail.slice(1)}`;
}

export const RULE_STATUSES = ['active', 'expired', 'revoked'] as const;

function statusOf({ revoked_at, expires_at }: ApprovalRule, nowMs: number): (typeof RULE_STATUSES)[number] {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Number(expires_at) <= nowMs ? 'expired' : 'active';
}
