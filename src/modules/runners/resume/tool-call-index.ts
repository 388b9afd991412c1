import type { CalledTool } from './call-outcomes.js';

/** The index of a message, and of a part within it. */
export interface Place {
  at: number;
  part: number;
}

export interface IndexedCall extends CalledTool, Place {
  result: IndexedResult | null;
}

export interface IndexedResult extends Place {
  bytes: Buffer;
  id: string | null;
  call: IndexedCall | null;
  /** Whether there is such a call, already answered by an earlier result. */
  isDuplicate: boolean;
}

export type FoundResult = Pick<IndexedResult, 'at' | 'part' | 'bytes' | 'id'> & { name: string | null };

/** Calls of one message; those before `next` have results. */
interface OpenCalls {
  at: number;
  calls: IndexedCall[];
  next: number;
}

/** Finds the call of each result. Ids may repeat, so a result answers the latest earlier call without one. */
export class ToolCallIndex {
  /** @param isNamed whether results may lack an id and name the tool instead */
  constructor(private readonly isNamed = false) {}

  readonly calls: IndexedCall[] = [];
  readonly results: IndexedResult[] = [];
  /** By id and by name; calls answered by the other key are removed when met. */
  private readonly open = new Map<string, OpenCalls[]>();

  /** False for an id that the message has already used: no result could be matched to this call. */
  addCall(call: CalledTool & Place): boolean {
    if (call.id !== null && this.open.get(idKey(call.id))?.at(-1)?.at === call.at) return false;
    const indexed = { ...call, result: null };
    this.calls.push(indexed);
    this.openUnder(call.id === null ? unnumberedKey(call.name) : idKey(call.id), indexed);
    if (this.isNamed) this.openUnder(nameKey(call.name), indexed);
    return true;
  }

  private openUnder(key: string, indexed: IndexedCall): void {
    const messages = this.open.get(key);
    const last = messages?.at(-1);
    if (last?.at === indexed.at) last.calls.push(indexed);
    else if (messages) messages.push({ at: indexed.at, calls: [indexed], next: 0 });
    else this.open.set(key, [{ at: indexed.at, calls: [indexed], next: 0 }]);
  }

  /** Calls by message index, in history order. */
  byMessage(): Map<number, IndexedCall[]> {
    const found = new Map<number, IndexedCall[]>();
    for (const call of this.calls) {
      const beside = found.get(call.at);
      if (beside) beside.push(call);
      else found.set(call.at, [call]);
    }
    return found;
  }

  /** Ids whose calls all have results. @param isResult whether a result counts */
  answeredIds(isResult: (result: IndexedResult) => boolean): ReadonlySet<string> {
    const ids = new Set(this.calls.map(({ id }) => id).filter((id) => id !== null));
    for (const { id, result } of this.calls) if (id !== null && !(result && isResult(result))) ids.delete(id);
    return ids;
  }

  /** A result without an id, or with an id of no call, answers a call of its name without an id. */
  addResult({ name, ...found }: FoundResult): void {
    const { id } = found;
    const byId = id === null ? this.open.get(nameKey(name)) : this.open.get(idKey(id));
    const open = byId ?? this.open.get(unnumberedKey(name));
    const call = open ? takeNext(open) : null;
    const result = { ...found, call, isDuplicate: call === null && open !== undefined };
    if (call) call.result = result;
    this.results.push(result);
  }
}

/** The first open call of the latest message that has one. */
function takeNext(messages: OpenCalls[]): IndexedCall | null {
  for (let last = messages.at(-1); last; last = messages.at(-1)) {
    while (last.calls[last.next]?.result) last.next += 1;
    if (last.next < last.calls.length) return last.calls[last.next]!;
    messages.pop();
  }
  return null;
}

function idKey(id: string): string {
  return `#${id}`;
}

/** Calls without an id. */
function unnumberedKey(name: string | null): string {
  return `-${name ?? ''}`;
}

function nameKey(name: string | null): string {
  return `:${name ?? ''}`;
}
