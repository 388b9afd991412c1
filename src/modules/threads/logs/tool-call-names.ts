/** A tool call as far as its result needs it. */
export interface SeenToolCall {
  name?: string;
  /** Milliseconds since 1970; NaN when the time of the call is not known. */
  atMs: number;
}

/** The tool calls of one run, to name the tools of results. Holds every call that had an id. */
export class ToolCallNames {
  private readonly byId = new Map<string, SeenToolCall>();
  /** Calls of the latest message with calls that nobody answered yet, oldest first. */
  private readonly open = new Set<SeenToolCall>();

  /** Call it before the calls of a new message: results without an id answer the calls of the last one only. */
  startTurn(): void {
    this.open.clear();
  }

  /** Remembers a call; a later one with the same id takes its place. */
  record(call: SeenToolCall, id?: string): void {
    if (id !== undefined) this.byId.set(id, call);
    this.open.add(call);
  }

  find(ids: readonly string[]): SeenToolCall | undefined {
    const known = ids.find((id) => this.byId.has(id));
    return known === undefined ? undefined : this.byId.get(known);
  }

  /**
   * The call that a result answers: the one with its id; for a result without ids the oldest open call of its name,
   * or the oldest of all when it has no name either.
   */
  answer(ids: readonly string[], name?: string): SeenToolCall | undefined {
    const call = ids.length > 0 ? this.find(ids) : this.oldestOpen(name);
    if (call !== undefined) this.open.delete(call);
    return call;
  }

  private oldestOpen(name?: string): SeenToolCall | undefined {
    for (const call of this.open) if (name === undefined || call.name === name) return call;
    return undefined;
  }
}
