import { isoTime } from '../../../common/clock.js';
import { amendedExtra, extraWithout } from '../journal/rules/extra-members.js';
import { FLAG_NAMES, flagMembers, type Flags } from '../flags/flags.contract.js';
import type { ExtraMember } from '../threads.contract.js';
import { summaryMembers, type CheckpointRecord } from '../checkpoints/checkpoint.json.js';

/** A thread's latest checkpoint with its totals; `updated_at` is the thread's. */
export interface ThreadItemRow extends CheckpointRecord {
  /** JSON array of agent ids. */
  agents: string;
  run_count: number;
  /** JSON of `LastMessage`. */
  last_message: string | null;
  pending_approvals: number;
  total_tokens: number;
  total_cost_usd: number;
  started_at: number;
  /** Total milliseconds of idle time before retries. */
  paused_ms: number;
}

/**
 * A thread's item as JSON without the braces and without its flags, which change with time.
 * @param further members of this response only; like the item's own they replace reported ones of the same name
 */
export function itemMembers(row: ThreadItemRow, further: readonly ExtraMember[] = []): string {
  const own: ExtraMember[] = [
    { name: '"agents"', value: row.agents },
    { name: '"runs"', value: String(row.run_count) },
    { name: '"last_message"', value: row.last_message ?? 'null' },
    { name: '"pending_approvals"', value: String(row.pending_approvals) },
    { name: '"started_at"', value: `"${isoTime(row.started_at)}"` },
    { name: '"duration_ms"', value: String(Math.max(0, row.updated_at - row.started_at - row.paused_ms)) },
    { name: '"total_tokens"', value: String(row.total_tokens) },
    { name: '"total_cost_usd"', value: String(row.total_cost_usd) },
    ...further,
  ];
  return summaryMembers({ ...row, extra: amendedExtra(extraWithout(row.extra, FLAG_NAMES), own) });
}

export function itemJson(members: string, flags: Flags): string {
  return `{${members},${flagMembers(flags)}}`;
}
