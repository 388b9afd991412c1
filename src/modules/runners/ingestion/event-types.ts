import { kindOf, KNOWN_EVENT_TYPES } from '../../../common/contract/event-types.js';

const GROUPS = ['workflow', 'team'];

/** Most letters that a typing error changes, omits or adds. */
const SLIPS = 2;

/** The type that was probably meant; null for a known type, or if none is similar. */
export function likelyTypoOf(type: string): string | null {
  if (KNOWN_EVENT_TYPES.includes(type)) return null;
  const letters = lettersOf(type.slice(0, 64));
  return KNOWN_EVENT_TYPES.find((known) => isNear(letters, lettersOf(known))) ?? null;
}

/**
 * For an event of a workflow or team: the agent of its run, `workflow:NAME`, and the member of the data with the name. Null for other
 * types.
 */
export function groupOf(type: string, data: Readonly<Record<string, unknown>>): { agentId: string; by: string } | null {
  const group = groupTypeOf(type);
  if (group === null) return null;
  const by = membersOf(group).find((member) => typeof data[member] === 'string' && data[member] !== '');
  return { agentId: `${group}:${by === undefined ? 'unknown' : String(data[by])}`, by: by ?? 'name' };
}

/** Whether the member may name a workflow or a team. */
export function isGroupMember(type: string, member: string): boolean {
  const group = groupTypeOf(type);
  return group !== null && membersOf(group).includes(member);
}

function groupTypeOf(type: string): string | null {
  const group = GROUPS.find((name) => type.startsWith(name) && type[name.length] === '_');
  return group !== undefined && kindOf(type) !== 'note' ? group : null;
}

function membersOf(group: string): string[] {
  return ['name', `${group}_name`, group, `${group}_id`, 'agent_id'];
}

function lettersOf(type: string): string {
  return type.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** Whether the texts differ by so few omitted, added, changed or swapped letters that one may be a typo of the other. */
function isNear(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > SLIPS) return false;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const changed = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + Number(!isSame));
      row.push(isSwapped ? Math.min(changed, before[j - 2]! + 1) : changed);
    }
    before = last;
    last = row;
  }
  return last[b.length]! <= SLIPS;
}
