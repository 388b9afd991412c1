/** What a result's log entry needs from its call. */
export interface SeenToolCall {
  name?: string;
  /** Milliseconds since 1970; NaN if unknown. */
  atMs: number;
}

/** The tool calls of one run, to name the tools of results. Keeps every call that had an id. */
export class ToolCallNames {
  private readonly byId = new Map<string, SeenToolCall>();
  /** Unanswered calls of the latest message with calls, oldest first. */
  private readonly open = new Set<SeenToolCall>();

  /** Call this before the calls of a new message: results without an id only answer the last one's calls. */
  startTurn(): void {
    this.open.clear();
  }

  /** A later call with the same id replaces an earlier one. */
  record(call: SeenToolCall, id?: string): void {
    if (id !== undefined) this.byId.set(id, call);
    this.open.add(call);
  }

  find(ids: readonly string[]): SeenToolCall | undefined {
    const known = ids.find((id) => this.byId.has(id));
    return known === undefined ? undefined : this.byId.get(known);
  }

  /**
   * The call that a result answers: the one with its id; without ids the oldest open call of its name, or the oldest of all if it has no
   * name either.
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
