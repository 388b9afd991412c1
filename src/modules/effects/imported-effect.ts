import { parsedJson } from '../../common/parsed-json.js';
import type { SqlRow } from '../../database/database.js';
import { EFFECT_KINDS, EFFECT_STATES } from './effect.entity.js';
import { agentOf } from './effect-identity.js';

const SETTLERS = [null, 'claim', 'holder', 'other'];
const OPAQUE = ['args', 'result', 'error'];

/** What is wrong with an imported effect's row; null if nothing is. */
export function effectFault(row: SqlRow): string | null {
  if (!EFFECT_STATES.some((one) => one === row.state)) return 'effect.state must be that of an effect.';
  if (!EFFECT_KINDS.some((one) => one === row.kind)) return 'effect.kind must be write or idempotent.';
  if (!SETTLERS.includes(row.settled_by as string | null)) return 'effect.settled_by must be claim, holder or other.';
  if (agentOf(String(row.agent_id)) !== row.agent) return 'effect.agent must be agent_id up to its first colon.';
  if ((row.state === 'started') !== (row.settled_at === null)) {
    return 'effect.settled_at must be there for what is settled, and only for that.';
  }
  for (const name of OPAQUE) {
    const text = row[name];
    if (text !== null && parsedJson(String(text)) === undefined) return `effect.${name} must be JSON.`;
  }
  return null;
}
