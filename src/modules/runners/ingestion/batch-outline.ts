import type { FieldFault } from '../../../common/domain-error.js';
import { MAX_ELEMENT_LEVELS, MAX_ELEMENT_VALUES, type JsonExcess } from '../../../common/json-limits.js';
import { TextList } from '../../../common/text-list.js';
import type { JsonScanner } from '../../../common/json-scanner.js';

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Characters of a member's name in an error. */
const NAME_LENGTH = 200;

/** The member of a checkpoint's data that names what its lists continue. */
export const HISTORY_BASE = 'history_base';

export type Span = readonly [from: number, to: number];

/** Positions of the parts of an event's `data` in the body. */
export interface DataOutline {
  span: Span;
  members: ReadonlyMap<string, Span>;
  /** A name that appears more than once. */
  twice: string | null;
  history: ListOutline | null;
  historyMeta: ListOutline | null;
  /** Whether the body is large: then no objects are created for unread values. */
  isOfLargeBody: boolean;
}

export interface ListOutline {
  /** From the opening bracket to after the closing one. */
  span: Span;
  list: TextList;
}

/** Positions of the parts of one element of `events`; null for absent or non-object `data`. */
export interface EventOutline {
  span: Span;
  members: ReadonlyMap<string, Span>;
  twice: string | null;
  /** Elements that are too large. */
  excesses: readonly FieldFault[];
  data: DataOutline | null;
}

/** Known lists of a thread: a reported list that begins with the same bytes needs no second check. */
export type KnownLists = (threadId: string, traceId: string | null) => ListsOfRun | null;

interface ListsOfRun {
  history: TextList | null;
  historyMeta: TextList | null;
}

/** The scanner must be positioned before the event. */
export function outlineEvent(scanner: JsonScanner, known: KnownLists): EventOutline {
  scanner.peek();
  const from = scanner.at;
  if (!scanner.isObject()) return { span: scanner.value(), members: new Map(), twice: null, excesses: [], data: null };
  const members = new Map<string, Span>();
  const excesses: FieldFault[] = [];
  let twice: string | null = null;
  let data: DataOutline | null = null;
  scanner.members((name) => {
    if (members.has(name)) twice = name;
    if (name === 'data' && scanner.isObject()) {
      data = outlineData(scanner, known, excesses);
      members.set(name, data.span);
    } else members.set(name, elementIn(scanner, '', name, excesses));
  });
  return { span: [from, scanner.at], members, twice, excesses, data };
}

function outlineData(scanner: JsonScanner, known: KnownLists, excesses: FieldFault[]): DataOutline {
  const from = scanner.at;
  const members = new Map<string, Span>();
  let twice: string | null = null;
  let history: ListOutline | null = null;
  let historyMeta: ListOutline | null = null;
  let lists: ListsOfRun | null | undefined;
  scanner.members((name) => {
    if (members.has(name)) twice = name;
    const isHistory = name === 'history';
    if ((isHistory || name === 'history_meta') && scanner.isArray()) {
      if (lists === undefined) lists = listsKnown(scanner, members, known);
      const knownList = (isHistory ? lists?.history : lists?.historyMeta) ?? null;
      const list = outlineList(scanner, { known: knownList, path: `data.${name}`, excesses });
      if (isHistory) history = list;
      else historyMeta = list;
      members.set(name, list.span);
    } else members.set(name, elementIn(scanner, 'data.', name, excesses));
  });
  return {
    span: [from, scanner.at],
    members,
    twice,
    history,
    historyMeta,
    isOfLargeBody: scanner.hasKnownValues,
  };
}

/** Consumes an element of an event, and records if it is too large. */
function elementIn(scanner: JsonScanner, prefix: string, name: string, excesses: FieldFault[]): Span {
  const span = scanner.value();
  const { excess } = scanner;
  if (excess !== null) excesses.push(faultOf(prefix + name.slice(0, NAME_LENGTH), excess));
  return span;
}

function faultOf(path: string, excess: JsonExcess): FieldFault {
  if (excess === 'levels') return { path, detail: `at most ${MAX_ELEMENT_LEVELS} levels of lists and objects` };
  return { path, detail: `at most ${MAX_ELEMENT_VALUES} values in one element` };
}

/** The lists that the event's lists may begin with. Our clients send the thread before the history; others only lose the shortcut. */
function listsKnown(scanner: JsonScanner, members: ReadonlyMap<string, Span>, known: KnownLists): ListsOfRun | null {
  const threadId = members.get('thread_id');
  if (!threadId || hasBase(scanner, members)) return null;
  const traceId = members.get('trace_id');
  return known(plainString(scanner.bytes, threadId) ?? '', traceId ? plainString(scanner.bytes, traceId) : null);
}

/** Lists with a base hold only new elements, so no known list begins like them. */
function hasBase({ bytes }: JsonScanner, members: ReadonlyMap<string, Span>): boolean {
  const base = members.get(HISTORY_BASE);
  return base !== undefined && bytes[base[0]] === OPEN_BRACE;
}

function plainString(bytes: Buffer, [from, to]: Span): string | null {
  const text = bytes.toString('utf8', from, to);
  return text.startsWith('"') && !text.includes('\\') ? text.slice(1, -1) : null;
}

interface ListContext {
  known: TextList | null;
  path: string;
  excesses: FieldFault[];
}

function outlineList(scanner: JsonScanner, { known, path, excesses }: ListContext): ListOutline {
  scanner.peek();
  const open = scanner.at;
  scanner.expect(OPEN_BRACKET);
  scanner.peek();
  const first = scanner.at;
  const extended = known && skipKnown(scanner, known) ? known : null;
  const starts: number[] = [];
  const ends: number[] = [];
  const behindKnown = scanner.at;
  if (!extended || scanner.skipIf(COMMA)) {
    const origin = { first, knownCount: extended?.count ?? 0, path };
    readElements(scanner, origin, { starts, ends, excesses });
  }
  scanner.expect(CLOSE_BRACKET);
  const last = ends.length > 0 ? first + ends.at(-1)! : extended ? behindKnown : first;
  const list = TextList.of(scanner.bytes.subarray(first, last), starts, ends, extended);
  return { span: [open, scanner.at], list };
}

/** Moves past the known elements if the list begins with exactly those bytes; they were checked on arrival. */
function skipKnown(scanner: JsonScanner, known: TextList): boolean {
  const { bytes, at } = scanner;
  const length = known.bytes.length;
  if (length === 0 || at + length > bytes.length) return false;
  if (bytes.compare(known.bytes, 0, length, at, at + length) !== 0) return false;
  scanner.at = at + length;
  const next = scanner.peek();
  const isWhole = next === COMMA || next === CLOSE_BRACKET;
  scanner.at = isWhole ? at + length : at;
  return isWhole;
}

function readElements(
  scanner: JsonScanner,
  { first, knownCount, path }: { first: number; knownCount: number; path: string },
  { starts, ends, excesses }: { starts: number[]; ends: number[]; excesses: FieldFault[] },
): void {
  if (scanner.peek() === CLOSE_BRACKET && scanner.at === first) return;
  do {
    const [from, to] = scanner.value();
    const { excess } = scanner;
    if (excess !== null) excesses.push(faultOf(`${path}[${knownCount + starts.length}]`, excess));
    starts.push(from - first);
    ends.push(to - first);
  } while (scanner.skipIf(COMMA));
}
