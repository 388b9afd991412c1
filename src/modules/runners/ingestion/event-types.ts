import type { EventKind } from '../../threads/threads.contract.js';

const KINDS: ReadonlyMap<string, EventKind> = new Map([
  ['thread_started', 'started'],
  ['checkpoint', 'checkpoint'],
  ['thread_completed', 'ending'],
  ['thread_error', 'ending'],
  ['thread_budget_exceeded', 'ending'],
  ['thread_idle', 'idle'],
  ['workflow_started', 'started'],
  ['workflow_completed', 'ending'],
  ['workflow_failed', 'ending'],
  ['team_started', 'started'],
  ['team_completed', 'ending'],
  ['team_failed', 'ending'],
]);
const KNOWN = [...KINDS.keys(), 'budget_warning', 'heartbeat'];

/** Letters that a slip of the pen changes, leaves out or adds. */
const SLIPS = 2;

/** What an event of this type does; a type that nobody knows is kept as a note. */
export function kindOf(type: string): EventKind {
  return KINDS.get(type) ?? 'note';
}

/** The known type that was probably meant; null for a known one, and for one that is like none. */
export function nearMissOf(type: string): string | null {
  if (KNOWN.includes(type)) return null;
  const letters = lettersOf(type.slice(0, 64));
  return KNOWN.find((known) => isNear(letters, lettersOf(known))) ?? null;
}

/**
 * Of an event of a workflow or a team: the agent that its run goes by, `workflow:NAME`, and the member of the data that says the name.
 * Null for events of other types.
 */
export function groupOf(type: string, data: Readonly<Record<string, unknown>>): { agentId: string; by: string } | null {
  const group = groupTypeOf(type);
  if (group === null) return null;
  const by = membersOf(group).find((member) => typeof data[member] === 'string' && data[member] !== '');
  return { agentId: `${group}:${by === undefined ? 'unknown' : String(data[by])}`, by: by ?? 'name' };
}

/** Whether the member may say the name of a workflow or a team. */
export function isGroupMember(type: string, member: string): boolean {
  const group = groupTypeOf(type);
  return group !== null && membersOf(group).includes(member);
}

function groupTypeOf(type: string): string | null {
  return KINDS.has(type) ? (/^(workflow|team)_/.exec(type)?.[1] ?? null) : null;
}

function membersOf(group: string): string[] {
  return ['name', `${group}_name`, group, `${group}_id`, 'agent_id'];
}

function lettersOf(type: string): string {
  return type.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** Whether so few letters were left out, added, changed or swapped that one can be taken for the other. */
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
