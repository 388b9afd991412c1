import { JsonOutlineError, JsonScanner } from '../common/json-scanner.js';

/** The elements of a list within a text. */
interface SpannedList {
  /** From the first element to the end of the last one. */
  bytes: Buffer;
  /** Offset of the first element in the text. */
  from: number;
  /** End offset of each element, relative to `from`. */
  ends: readonly number[];
}

export interface ReportIds {
  id: string;
  threadId: string;
  agentId: string;
  traceId: string;
}

const NO_LIST: SpannedList = { bytes: Buffer.alloc(0), from: 0, ends: [] };
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** A checkpoint as the exact text of its event, with the positions of its lists. */
export class OutgoingReport {
  private constructor(
    private readonly bytes: Buffer,
    /** Offset after the data's opening brace. */
    private readonly dataFrom: number,
    readonly ids: ReportIds,
    private readonly history: SpannedList,
    private readonly meta: SpannedList,
  ) {}

  /** Null for other events, and for checkpoints without an id or with a base of their own. */
  static read(text: string): OutgoingReport | null {
    if (!text.includes('"checkpoint"')) return null;
    try {
      return OutgoingReport.outlined(text);
    } catch (error) {
      if (error instanceof JsonOutlineError || error instanceof SyntaxError) return null; // the server will refuse it
      throw error;
    }
  }

  private static outlined(text: string): OutgoingReport | null {
    const bytes = Buffer.from(text);
    const scanner = new JsonScanner(bytes);
    const envelope: Record<string, unknown> = {};
    const data: Record<string, unknown> = {};
    const lists: Record<string, SpannedList> = {};
    let dataFrom = -1;
    scanner.members((name) => {
      if (name !== 'data' || !scanner.isObject()) return keep(scanner, envelope, name, ['type', 'id']);
      dataFrom = scanner.at + 1;
      scanner.members((member) => {
        if ((member === 'history' || member === 'history_meta') && scanner.isArray()) lists[member] = readList(scanner);
        else keep(scanner, data, member, ['thread_id', 'agent_id', 'trace_id', 'history_base']);
      });
    });
    const { history = NO_LIST, history_meta: meta = NO_LIST } = lists;
    const { type, id } = envelope;
    if (type !== 'checkpoint' || typeof id !== 'string' || id === '' || data.history_base) return null;
    const [threadId, agentId, traceId] = [data.thread_id, data.agent_id, data.trace_id].map((value) =>
      typeof value === 'string' ? value : '',
    ) as [string, string, string];
    return new OutgoingReport(bytes, dataFrom, { id, threadId, agentId, traceId }, history, meta);
  }

  /** Reports of waiting runs may have none. */
  get hasMessages(): boolean {
    return this.history.ends.length > 0;
  }

  /** Bytes of memory that it holds. */
  get size(): number {
    return this.bytes.length + 8 * (this.history.ends.length + this.meta.ends.length);
  }

  /** How many messages, with equal metadata, this report has in common with the beginning of the other: so much can be its base. */
  commonLength(other: OutgoingReport): number {
    const messages = commonCount(this.history, other.history);
    const entries = commonCount(this.meta, other.meta);
    return entries >= Math.min(messages, other.meta.ends.length) ? messages : entries;
  }

  /** Bytes that a base of this length saves. */
  sparedBytes(base: OutgoingReport, length: number): number {
    return endOf(this.history, length) + endOf(this.meta, base.entriesIn(length));
  }

  /** The text of the event without the first `length` messages, which its base has. */
  textFrom(base: OutgoingReport, length: number): string {
    const named = `"history_base":${JSON.stringify({ id: base.ids.id, length })},`;
    const cuts = [
      { list: this.history, count: length },
      { list: this.meta, count: base.entriesIn(length) },
    ].sort((a, b) => a.list.from - b.list.from);
    let text = this.bytes.toString('utf8', 0, this.dataFrom) + named;
    let at = this.dataFrom;
    for (const { list, count } of cuts) {
      if (count === 0) continue;
      text += this.bytes.toString('utf8', at, list.from);
      at = behind(this.bytes, list, count);
    }
    return text + this.bytes.toString('utf8', at);
  }

  /** Entries of metadata that belong to that many messages. */
  private entriesIn(length: number): number {
    return Math.min(length, this.meta.ends.length);
  }
}

function keep(scanner: JsonScanner, values: Record<string, unknown>, name: string, wanted: readonly string[]): void {
  const [from, to] = scanner.value();
  if (wanted.includes(name)) values[name] = JSON.parse(scanner.bytes.toString('utf8', from, to)) as unknown;
}

function readList(scanner: JsonScanner): SpannedList {
  scanner.expect(OPEN_BRACKET);
  const isEmpty = scanner.peek() === CLOSE_BRACKET;
  const from = scanner.at;
  const ends: number[] = [];
  if (!isEmpty) {
    do ends.push(scanner.value()[1] - from);
    while (scanner.skipIf(COMMA));
  }
  scanner.expect(CLOSE_BRACKET);
  return { bytes: scanner.bytes.subarray(from, from + (ends.at(-1) ?? 0)), from, ends };
}

/** How many leading elements are equal, compared as bytes. */
function commonCount(a: SpannedList, b: SpannedList): number {
  const limit = Math.min(a.ends.length, b.ends.length);
  let common = 0;
  while (common < limit && a.ends[common] === b.ends[common]) common += 1;
  // If all ends agree, binary search finds the longest equal beginning.
  let [equal, unequal] = [0, common + 1];
  while (unequal - equal > 1) {
    const middle = (equal + unequal) >> 1;
    const [from, to] = [endOf(a, equal), endOf(a, middle)];
    if (a.bytes.compare(b.bytes, from, to, from, to) === 0) equal = middle;
    else unequal = middle;
  }
  return equal;
}

function endOf({ ends }: SpannedList, count: number): number {
  return count === 0 ? 0 : ends[count - 1]!;
}

/** The offset after that many elements: at the next one, or at the closing bracket. */
function behind(bytes: Buffer, list: SpannedList, count: number): number {
  const end = list.from + endOf(list, count);
  if (count === list.ends.length) return end;
  const scanner = new JsonScanner(bytes, { from: end });
  scanner.skipIf(COMMA);
  scanner.peek();
  return scanner.at;
}
