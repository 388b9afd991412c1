import { stringifyExact } from '../../common/exact-number.js';
import { ApiProblemError } from './api-errors.js';
import type { CallOptions, QueryOf, Schemas } from './api-requests.js';
import type { StatesApi } from './states-api.js';
import { StepQueue } from './step-queue.js';

/** Selects checkpoints for `StateStore.each`; absent members select all. */
export interface StateSearch {
  thread_id?: string | undefined;
  thread_prefix?: string | undefined;
  ns?: string | undefined;
  /** Only those with lower ids. */
  before?: string | undefined;
  /** Members of their metadata to match exactly. */
  filter?: Readonly<Record<string, unknown>> | undefined;
  /** Checkpoints per response. */
  page?: number;
}

/**
 * Checks a search that deletes: an undefined value is a mistake, because the search would find more without it.
 * @throws TypeError
 */
export function checkIsNarrow({ thread_id, thread_prefix, filter = {} }: StateSearch): void {
  if (Object.values(filter).includes(undefined)) throw new TypeError('A member of the filter is undefined.');
  if (!thread_id && !thread_prefix && Object.keys(filter).length === 0) {
    throw new TypeError(
      'The search needs a thread_id, a thread_prefix or a filter: without them it finds all threads.',
    );
  }
}

/** A serialised value: the name of its format, and bytes that the server never interprets. */
export type Serialized = readonly [type: string, bytes: Uint8Array];

/** The bytes of a value from the server. */
export function bytesOf({ data }: { data: string }): Uint8Array {
  return new Uint8Array(Buffer.from(data, 'base64'));
}

/** The form in which the API takes it. */
export function inBase64([type, bytes]: Serialized): Schemas['SerializedDto'] {
  return { type, data: Buffer.from(bytes).toString('base64') };
}

/** Identifies a checkpoint of a graph; without `checkpoint_id`, the newest one. */
export interface StatePlace {
  thread_id: string;
  /** The namespace of a subgraph; empty by default. */
  ns?: string;
  checkpoint_id?: string | undefined;
}

/** A value of a checkpoint to store. */
export interface OwnValue {
  version: string | number;
  /** Whether it changed since the parent. If not, and the parent has this version, only its digest is sent. */
  isNew?: boolean;
  /** Called only if the value must be sent. */
  dump?: () => Serialized | Promise<Serialized>;
}

/** A checkpoint to store. */
export interface OwnState {
  parent_id: string | null;
  /** Everything but its values. */
  checkpoint: Serialized;
  metadata: Record<string, unknown>;
  values?: Readonly<Record<string, OwnValue>>;
}

/** The writes of a task. */
export interface OwnWrites {
  task_id: string;
  task_path?: string;
  /** A negative `idx` replaces an earlier write; otherwise the first one stays. Of several in one call the last counts. */
  writes: readonly { idx: number; channel: string; value: Serialized }[];
}

/** The server's record of a checkpoint's values, by channel. */
export type KnownValues = Readonly<Record<string, Omit<Schemas['StateValueDto'], 'data'>>>;

/** Decides which checkpoints {@link StateStore.prune} keeps besides the newest of each namespace. */
export type NeededAncestors = (
  newest: Schemas['StateOutlineDto'],
  /** Nearest first. */
  ancestors: readonly Schemas['StateOutlineDto'][],
) => number;

/** Events to report in the same request. Called when the stored checkpoint takes its place in the order. */
export type EventsBeside = () => readonly Schemas['RunnerEventDto'][];

type States = Pick<StatesApi, 'putStep' | 'get' | 'each' | 'eachOutline' | 'delete' | 'deleteSome'>;

/** Limit of checkpoints whose digests are remembered. */
const MAX_REMEMBERED = 200;
/** Limit of checkpoints per response, as they may be large. */
const PAGE = 20;
/** The same for outlines. */
const OUTLINES = 200;
/** This many fit into one request, even with the longest names. */
const MAX_DELETED = 200;

/** The checkpoints of one agent's graphs. Each call is durable once it resolves; unchanged values are not sent again. */
export class StateStore {
  private readonly known = new Map<string, KnownValues>();
  private readonly steps: StepQueue;

  /**
   * @param states of a {@link WaystationApi}
   * @param agentId the agent that the graphs run as
   */
  constructor(
    private readonly states: States,
    readonly agentId: string,
  ) {
    this.steps = new StepQueue(states, agentId);
  }

  /** A checkpoint with its values and writes, the newest without an id; null if there is none. */
  async get(place: StatePlace, options: CallOptions = {}): Promise<Schemas['StateDto'] | null> {
    const { thread_id, checkpoint_id } = place;
    const state = await this.states.get({ thread_id, checkpoint_id }, this.queryOf(place), options);
    if (state) this.remember({ ...place, checkpoint_id: state.checkpoint_id }, state.values);
    return state;
  }

  /** Checkpoints with their values and writes, highest ids first. */
  each(search: StateSearch = {}, options: CallOptions = {}): ReturnType<StatesApi['each']> {
    return this.states.each(this.found(search, PAGE), options);
  }

  /** Version, type and digest of each value of a checkpoint, by channel; empty if there is no checkpoint. */
  async valuesOf(place: StatePlace, options: CallOptions = {}): Promise<KnownValues> {
    return this.known.get(keyOf(place)) ?? (await this.get(place, options))?.values ?? {};
  }

  /**
   * Stores a checkpoint. If the server has lost a value because the parent was deleted meanwhile, sends all values in full.
   * Leaves out values that the parent lacks and that have no `dump`.
   * @throws ApiProblemError with the code `unknown_digest` if a lost value has no `dump`; also if an event is refused
   */
  async put(
    place: StatePlace & { checkpoint_id: string },
    { values: own = {}, checkpoint, ...rest }: OwnState,
    { events: report = () => [], ...options }: CallOptions & { events?: EventsBeside } = {},
  ): Promise<void> {
    const held = await this.heldByParent(place, rest.parent_id, own, options);
    const state = { ...rest, checkpoint: inBase64(checkpoint) };
    const values: Record<string, Schemas['SentValueDto']> = {};
    for (const [channel, { version, isNew, dump }] of Object.entries(own)) {
      const before = held[channel];
      if (!isNew && before?.version === version)
        values[channel] = { version, type: before.type, digest: before.digest };
      else if (dump) values[channel] = { version, ...inBase64(await dump()) };
    }
    const events = report();
    try {
      await this.send(place, { ...state, values }, events, options);
    } catch (error) {
      if (!(error instanceof ApiProblemError && error.code === 'unknown_digest')) throw error;
      for (const [channel, { version, dump }] of Object.entries(own)) {
        if (channel in values && dump) values[channel] = { version, ...inBase64(await dump()) };
      }
      await this.send(place, { ...state, values }, events, options);
    }
  }

  /** Stores the writes of a task. Their checkpoint may follow later. */
  async putWrites(
    place: StatePlace & { checkpoint_id: string },
    { writes, ...task }: OwnWrites,
    { events = () => [], ...options }: CallOptions & { events?: EventsBeside } = {},
  ): Promise<void> {
    const sent = writes.map(({ idx, channel, value }) => [idx, { idx, channel, ...inBase64(value) }] as const);
    await this.sendWrites(place, { ...task, writes: [...new Map(sent).values()] }, events(), options);
  }

  /** Deletes the checkpoints and writes of a thread. Its recorded runs stay. */
  async delete(threadId: string, options: CallOptions = {}): Promise<void> {
    await this.states.delete(threadId, { agent_id: this.agentId }, options);
    this.forget(threadId);
  }

  /**
   * Deletes the checkpoints that the search finds, with their writes, for example those of a run by their metadata.
   * @throws TypeError if the search names no thread, prefix or metadata: it would find the checkpoints of all threads
   */
  async deleteFound(search: StateSearch, options: CallOptions = {}): Promise<void> {
    checkIsNarrow(search);
    const byThread = new Map<string, Schemas['StateNameDto'][]>();
    for await (const { thread_id, ns, checkpoint_id } of this.outlines(search, options)) {
      const names = byThread.get(thread_id) ?? [];
      names.push({ ns, checkpoint_id });
      byThread.set(thread_id, names);
    }
    for (const [threadId, names] of byThread) await this.deleteSome(threadId, names, options);
  }

  /**
   * Deletes all checkpoints of a thread except the newest of each namespace and the needed number of its nearest ancestors.
   * @param needed none by default
   */
  async prune(threadId: string, needed: NeededAncestors = () => 0, options: CallOptions = {}): Promise<void> {
    const byName = new Map<string, Schemas['StateOutlineDto']>();
    for await (const one of this.outlines({ thread_id: threadId }, options)) byName.set(keyOf(one), one);
    const kept = new Set<Schemas['StateOutlineDto']>();
    const seen = new Set<string>();
    for (const newest of byName.values()) {
      if (seen.has(newest.ns)) continue;
      seen.add(newest.ns);
      const ancestors = ancestorsOf(newest, byName);
      for (const one of [newest, ...ancestors.slice(0, needed(newest, ancestors))]) kept.add(one);
    }
    const others = [...byName.values()].filter((one) => !kept.has(one));
    await this.deleteSome(
      threadId,
      others.map(({ ns, checkpoint_id }) => ({ ns, checkpoint_id })),
      options,
    );
  }

  /** Copies all checkpoints and writes of a thread. If interrupted, repeat it. */
  async copy(fromThreadId: string, toThreadId: string, options: CallOptions = {}): Promise<void> {
    for await (const state of this.each({ thread_id: fromThreadId }, options)) {
      const { ns, checkpoint_id, parent_id, checkpoint, metadata } = state;
      const place = { thread_id: toThreadId, ns, checkpoint_id };
      const values = Object.entries(state.values).map(
        ([channel, { version, type, data }]) => [channel, { version, type, data }] as const,
      );
      await this.send(place, { parent_id, checkpoint, metadata, values: Object.fromEntries(values) }, [], options);
      for (const task of tasksIn(state.writes)) await this.sendWrites(place, task, [], options);
    }
  }

  private outlines(search: StateSearch, options: CallOptions): ReturnType<StatesApi['eachOutline']> {
    return this.states.eachOutline(this.found(search, OUTLINES), options);
  }

  private found({ filter, page, ...names }: StateSearch, most: number): QueryOf<'/v1/runners/state'> {
    const wanted = filter && Object.keys(filter).length > 0 ? { filter: stringifyExact(filter) } : {};
    const given = Object.entries(names).filter(([, value]) => value !== undefined);
    return { ...Object.fromEntries(given), ...wanted, agent_id: this.agentId, limit: Math.min(page ?? most, most) };
  }

  /** Missing checkpoints count as deleted. */
  private async deleteSome(
    threadId: string,
    names: readonly Schemas['StateNameDto'][],
    options: CallOptions,
  ): Promise<void> {
    for (let at = 0; at < names.length; at += MAX_DELETED) {
      const some = names.slice(at, at + MAX_DELETED);
      await this.states.deleteSome(threadId, some, { agent_id: this.agentId }, options);
    }
    this.forget(threadId);
  }

  private async heldByParent(
    place: StatePlace,
    parentId: string | null | undefined,
    own: Readonly<Record<string, OwnValue>>,
    options: CallOptions,
  ): Promise<KnownValues> {
    if (typeof parentId !== 'string' || Object.values(own).every(({ isNew }) => isNew)) return {};
    return this.valuesOf({ ...place, checkpoint_id: parentId }, options);
  }

  private async send(
    place: StatePlace & { checkpoint_id: string },
    state: Schemas['PutStateDto'],
    events: readonly Schemas['RunnerEventDto'][],
    options: CallOptions,
  ): Promise<void> {
    const { thread_id, ns = '', checkpoint_id } = place;
    const part = { checkpoint: { ns, checkpoint_id, ...state }, events };
    const { digests } = (await this.steps.send(thread_id, part, options))!;
    const stored = Object.entries(state.values ?? {}).map(([channel, value]) => {
      return [channel, { ...value, digest: digests[channel]! }] as const;
    });
    this.remember(place, Object.fromEntries(stored));
  }

  private async sendWrites(
    { thread_id, ns = '', checkpoint_id }: StatePlace & { checkpoint_id: string },
    task: Schemas['PutWritesDto'],
    events: readonly Schemas['RunnerEventDto'][],
    options: CallOptions,
  ): Promise<void> {
    await this.steps.send(thread_id, { writes: { ns, checkpoint_id, ...task }, events }, options);
  }

  private remember(place: StatePlace, values: KnownValues): void {
    const key = keyOf(place);
    const kept = Object.entries(values).map(([channel, { version, type, digest }]) => {
      return [channel, { version, type, digest }] as const;
    });
    this.known.delete(key);
    this.known.set(key, Object.fromEntries(kept));
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_REMEMBERED && oldest !== undefined) this.known.delete(oldest);
  }

  private forget(threadId: string): void {
    for (const key of this.known.keys()) if (JSON.parse(key)[0] === threadId) this.known.delete(key);
  }

  private queryOf({ ns = '' }: StatePlace): { ns: string; agent_id: string } {
    return { ns, agent_id: this.agentId };
  }
}

function keyOf({ thread_id, ns = '', checkpoint_id }: StatePlace): string {
  return JSON.stringify([thread_id, ns, checkpoint_id]);
}

/** Nearest first. */
function ancestorsOf(newest: Schemas['StateOutlineDto'], byName: ReadonlyMap<string, Schemas['StateOutlineDto']>) {
  const found = new Set([newest]);
  for (let one = newest; ;) {
    const parent = one.parent_id === null ? undefined : byName.get(keyOf({ ...one, checkpoint_id: one.parent_id }));
    if (!parent || found.has(parent)) return [...found].slice(1);
    found.add(parent);
    one = parent;
  }
}

/** Writes grouped by task, as they are sent. */
function tasksIn(writes: readonly Schemas['StateWriteDto'][]): Schemas['PutWritesDto'][] {
  const tasks = new Map<string, Schemas['PutWritesDto']>();
  for (const { task_id, task_path, ...write } of writes) {
    const key = JSON.stringify([task_id, task_path]);
    const task = tasks.get(key) ?? { task_id, task_path, writes: [] };
    task.writes.push(write);
    tasks.set(key, task);
  }
  return [...tasks.values()];
}
