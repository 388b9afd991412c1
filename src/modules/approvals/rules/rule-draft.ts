import { compareDecimals, decimalOf, decimalText } from './decimal.js';
import { canonicalOf, type ExactNode } from './exact-tree.js';
import type { JudgedCall } from './judged-call.js';
import { mayHoldProgram, pointerToken, pointerTokens, type Rule } from './rule.js';
import { isPathWithin } from './rule-match.js';
import { DAY_MS } from './rule-uses.js';

/** A call that people approved, and when it was opened. */
export interface ApprovedCall {
  readonly judged: JudgedCall;
  readonly openedMs: number;
}

/** A rule drafted from calls that people approved. */
export interface RuleDraft {
  /** The rule as JSON for `POST /v1/rules`. */
  readonly rule: string;
  /** How many calls it is based on. */
  readonly calls: number;
  /** JSON pointers of values that it cannot bound; until a person adds conditions for them, the rule allows nothing. */
  readonly open: readonly string[];
}

const MAX_VALUES = 10;
const MAX_VALUE_LENGTH = 1_000;
const MAX_CONDITIONS = 30;
const MAX_PATH = 512;
/** Most characters of all conditions: a rule has at most 16 KiB. */
const MAX_WHERE_LENGTH = 8 * 1024;
/** A common folder with fewer segments may be chance. */
const MIN_SEGMENTS = 2;
const MIN_PER_DAY = 5;

/**
 * A draft that allows what the calls have in common; null if none can be judged. Only calls with the most common set of members count.
 * @param calls of one agent and one tool
 */
export function draftRule(agentId: string, tool: string, calls: readonly ApprovedCall[]): RuleDraft | null {
  const shapes = new Map<string, { call: ApprovedCall; leaves: ReadonlyMap<string, ExactNode> }[]>();
  for (const call of calls) {
    const { args, isPlain } = call.judged;
    if (args === null || !isPlain) continue;
    const leaves = new Map(leavesOf(args, ''));
    const shape = JSON.stringify([...leaves.keys()].toSorted());
    const same = shapes.get(shape) ?? [];
    shapes.set(shape, same);
    same.push({ call, leaves });
  }
  const [common] = [...shapes.values()].toSorted((a, b) => b.length - a.length);
  if (!common) return null;
  const open: string[] = [];
  const where: string[] = [];
  let length = 0;
  for (const path of common[0]!.leaves.keys()) {
    const test =
      where.length < MAX_CONDITIONS
        ? testOf(
            common.map(({ leaves }) => leaves.get(path)!),
            path,
          )
        : null;
    const condition = test === null ? '' : `{"path":${JSON.stringify(path)},${test}}`;
    const isFine = condition !== '' && path.length <= MAX_PATH && length + condition.length <= MAX_WHERE_LENGTH;
    if (!isFine) {
      open.push(path);
      continue;
    }
    length += condition.length;
    where.push(condition);
  }
  const folder = commonFolder(common.map(({ call }) => call.judged.cwd));
  const limits = { per_day: Math.max(MIN_PER_DAY, busiestDay(common.map(({ call }) => call.openedMs))) };
  const note = `People approved ${common.length} such call${common.length === 1 ? '' : 's'} of ${tool}.`;
  const effect: Rule['effect'] = 'allow';
  const head = JSON.stringify({ effect, agents: [agentId], tools: [tool] });
  const tail = JSON.stringify({ other: 'none', ...(folder !== null && { folder }), limits, note });
  return { rule: `${head.slice(0, -1)},"where":[${where.join(',')}],${tail.slice(1)}`, calls: common.length, open };
}

/** The values that have no members, each with its JSON pointer. */
function* leavesOf(node: ExactNode, at: string): Generator<readonly [string, ExactNode]> {
  if (node.kind !== 'object' || node.members.size === 0) {
    if (at !== '') yield [at, node];
    return;
  }
  for (const [name, member] of node.members) yield* leavesOf(member, `${at}/${pointerToken(name)}`);
}

/** The members of a condition besides its path; null if nothing bounds the values. */
function testOf(nodes: readonly ExactNode[], path: string): string | null {
  const texts = new Map(nodes.map((node) => [canonicalOf(node), node.text.toString()]));
  const values = [...texts.values()];
  if (values.length === 1) return values[0]!.length > MAX_VALUE_LENGTH ? null : `"equals":${values[0]}`;
  const range = rangeOf([...texts.keys()]);
  if (range !== null) return range;
  // The path of a program may be followed by arguments.
  const isProgram = pointerTokens(path)!.some(mayHoldProgram);
  const folder = isProgram
    ? null
    : commonFolder(nodes.map((node) => (node.kind === 'string' ? folderOf(node.value) : null)));
  if (folder !== null && nodes.every((node) => node.kind === 'string' && isPathWithin(node.value, folder))) {
    return `"within":${JSON.stringify(folder)}`;
  }
  const isShort = values.length <= MAX_VALUES && values.every(({ length }) => length <= MAX_VALUE_LENGTH);
  return isShort ? `"one_of":[${values.join(',')}]` : null;
}

function rangeOf(canonical: readonly string[]): string | null {
  const numbers = canonical.map(decimalOf);
  if (!numbers.every((number) => number !== null)) return null;
  const sorted = numbers.toSorted(compareDecimals);
  return `"min":${decimalText(sorted[0]!)},"max":${decimalText(sorted.at(-1)!)}`;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The deepest common folder; null if it has fewer than two segments. */
function commonFolder(folders: readonly (string | null)[]): string | null {
  let common: string[] | null = null;
  for (const folder of folders) {
    if (folder === null || !folder.startsWith('/')) return null;
    const segments = folder.slice(1).split('/');
    const before: string[] = common ?? segments;
    const end = before.findIndex((segment, i) => segment !== segments[i]);
    common = end === -1 ? before : before.slice(0, end);
  }
  const isSaid =
    common !== null && common.length >= MIN_SEGMENTS && common.every((one) => !['', '.', '..'].includes(one));
  return isSaid ? `/${common!.join('/')}` : null;
}

/** The most calls within 24 hours. */
function busiestDay(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let [from, most] = [0, 0];
  for (const [i, time] of sorted.entries()) {
    while (sorted[from]! <= time - DAY_MS) from += 1;
    most = Math.max(most, i - from + 1);
  }
  return most;
}
