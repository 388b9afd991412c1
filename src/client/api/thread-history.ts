import { randomUUID } from 'node:crypto';
import { parseExact, stringifyExact } from '../../common/exact-number.js';
import { ApiProblemError } from './api-errors.js';
import type { CallOptions, Schemas } from './api-requests.js';
import type { RunnersApi } from './runners-api.js';

export interface HistoryAddress {
  thread_id: string;
  /** The run that holds only this history. */
  trace_id: string;
  /** The parent run; null or absent for none. */
  parent_trace_id?: string | undefined;
  /** The agent named as author: the same for all processes that change the history. */
  agent_id: string;
}

/** Keeps the first `keep` messages and adds `add` after them. */
export interface HistoryChange {
  keep: number;
  add: readonly unknown[];
}

/** A stored state of the history. */
interface Position {
  /** The event that reported it. */
  id: string;
  length: number;
}

/**
 * A list of messages that any number of processes append to and change concurrently: a run in which each checkpoint follows the one
 * before. No message is lost or stored twice, and the messages of one process keep their order. Changes throw if another agent has
 * reported the latest state.
 */
export class ThreadHistory {
  /** The latest state known to this process. */
  private known: Position | null = null;
  /** The keys of the messages in `known`; null if unknown. */
  private keys: Set<string | undefined> | null = null;
  /** Calls of this process run one after the other. */
  private turn: Promise<unknown> = Promise.resolve();

  /** @param runners of a `WaystationApi` */
  constructor(
    private readonly runners: Pick<RunnersApi, 'report' | 'latest'>,
    private readonly address: HistoryAddress,
  ) {}

  /** All messages; null if there has never been one. */
  read(options: CallOptions = {}): Promise<unknown[] | null> {
    return this.inTurn(async () => (await this.latest('full', options))?.history ?? null);
  }

  /**
   * Appends messages.
   * @param keyOf a message's key: messages whose key the history already has are left out; those without a key never are
   */
  append(messages: readonly unknown[], keyOf?: (message: unknown) => string | undefined): Promise<void> {
    if (messages.length === 0) return Promise.resolve();
    // A copy: later changes by the caller do not count.
    const add = parseExact(stringifyExact([...messages]), { keepsSpelling: true }) as unknown[];
    if (keyOf) return this.inTurn(() => this.storeOnce(add, keyOf));
    return this.inTurn(() => this.store(({ length }) => ({ keep: length, add })));
  }

  /** Removes all messages; the history then begins again. Does nothing if there has never been one. */
  clear(): Promise<void> {
    return this.inTurn(async () => {
      if ((await this.latest('none')) !== null) await this.store(() => ({ keep: 0, add: [] }));
    });
  }

  /**
   * Changes the history: reads it, asks for the change, and repeats both if another process was faster.
   * @param change gets all messages; returns null to leave them as they are
   * @throws RangeError if the change keeps more messages than there are
   */
  edit(change: (messages: unknown[]) => HistoryChange | null): Promise<void> {
    const id = randomUUID();
    return this.inTurn(async () => {
      for (;;) {
        const { base, messages } = await this.state();
        const wanted = change(messages);
        if (wanted === null) return;
        // The server would refuse it like an outdated base.
        if (!(Number.isInteger(wanted.keep) && wanted.keep >= 0 && wanted.keep <= messages.length)) {
          throw new RangeError(`The change keeps ${wanted.keep} messages of ${messages.length}.`);
        }
        if (await this.isStored(id, base, wanted)) return;
      }
    });
  }

  /** The same as `store` for messages with keys. */
  private async storeOnce(messages: readonly unknown[], keyOf: KeyOf): Promise<void> {
    for (const id = randomUUID(); ;) {
      const base = this.known ?? (await this.position());
      this.keys ??= await this.keysOf(base, keyOf);
      // Another process was faster.
      if (this.keys === null) continue;
      const { add, keys } = unseen(messages, keyOf, this.keys);
      if (add.length > 0 && !(await this.isStored(id, base, { keep: base.length, add }))) continue;
      this.keys = keys;
      return;
    }
  }

  /** Null if the state has changed. */
  private async keysOf(base: Position, keyOf: KeyOf): Promise<Set<string | undefined> | null> {
    const messages = (await this.latest('full'))?.history ?? [];
    if (messages.length === base.length) return new Set(messages.map(keyOf));
    this.known = null;
    return null;
  }

  private async store(changeOf: (base: Position) => HistoryChange): Promise<void> {
    for (const id = randomUUID(); ;) {
      const base = this.known ?? (await this.position());
      if (await this.isStored(id, base, changeOf(base))) return;
    }
  }

  /** False if the base is no longer the latest state; `known` is then the state that the server named, or null. */
  private async isStored(id: string, base: Position, { keep, add }: HistoryChange): Promise<boolean> {
    const history_base = { id: base.id, length: keep, is_latest: true };
    const status = keep + add.length === 0 ? 'cleared' : 'idle';
    this.keys = null;
    const rejected = await this.report({ id, data: { ...this.address, history_base, history: [...add], status } });
    if (rejected === null) {
      this.known = { id, length: keep + add.length };
      return true;
    }
    const { latest } = rejected;
    // The state is there, but of another agent: retrying would never end.
    if (latest?.id === base.id && latest.length >= keep) throw new Error(this.wordsOfOtherAgent());
    this.known = latest?.id ? { id: latest.id, length: latest.length } : null;
    return false;
  }

  private wordsOfOtherAgent(): string {
    const { trace_id, agent_id } = this.address;
    return `Another agent than ${agent_id} has reported the history in the run ${trace_id}: all who change it must give the same agent_id.`;
  }

  /** The latest state with its messages. */
  private async state(): Promise<{ base: Position; messages: unknown[] }> {
    for (;;) {
      const base = await this.position();
      const messages = (await this.latest('full'))?.history ?? [];
      // Otherwise another process was faster. If it removed as many as it added, the base is stale, which shows when it is used.
      if (messages.length === base.length) return { base, messages };
    }
  }

  /** The latest state; begins the history if there is none. */
  private async position(): Promise<Position> {
    for (;;) {
      const latest = await this.latest('none');
      const [id, length = 0] = [latest?.event_id, latest?.history_length];
      if (id) return (this.known = { id, length });
      if (latest !== null) throw new Error(`The run ${this.address.trace_id} holds something else than a history.`);
      // All processes begin it with the same event, which counts once.
      const begin = { id: `${this.address.trace_id}:begin`, data: { ...this.address, step_index: 0, history: [] } };
      await this.report(begin);
    }
  }

  private async latest(history: 'full' | 'none', options: CallOptions = {}): Promise<Schemas['CheckpointDto'] | null> {
    const { thread_id, trace_id } = this.address;
    return this.runners.latest(thread_id, { trace_id, resume: 'false', history }, options);
  }

  /** @returns the rejection if the base is not the latest state */
  private async report(event: {
    id: string;
    data: Record<string, unknown>;
  }): Promise<Schemas['RejectedEventDto'] | null> {
    const occurred_at = new Date().toISOString();
    try {
      await this.runners.report([{ type: 'checkpoint', occurred_at, ...event }]);
      return null;
    } catch (error) {
      const rejected = error instanceof ApiProblemError ? (error.problem.rejected as Rejections) : undefined;
      if (rejected?.[0]?.code === 'base_mismatch') return rejected[0];
      throw error;
    }
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }
}

/** The messages with new keys, and all keys with theirs. */
function unseen(messages: readonly unknown[], keyOf: KeyOf, seen: ReadonlySet<string | undefined>) {
  const keys = new Set(seen);
  const add = messages.filter((message) => {
    const key = keyOf(message);
    const isNew = key === undefined || !keys.has(key);
    keys.add(key);
    return isNew;
  });
  return { add, keys };
}

type KeyOf = (message: unknown) => string | undefined;
type Rejections = Schemas['RejectedEventDto'][] | undefined;
