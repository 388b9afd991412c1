import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  INTERRUPT,
  TASKS,
  WRITES_IDX_MAP,
  maxChannelVersion,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint';
import {
  ApiProblemError,
  WaystationApi,
  parseExact,
  stringifyExact,
  type Schemas,
  type WaystationApiOptions,
} from '@waystation/client';
import {
  configOf,
  missing,
  placeOf,
  type Address,
  type Digests,
  type Place,
  type SentValue,
  type Serialized,
  type StoredPlace,
  type StoredState,
} from './stored-state.js';
import { KnownDigests } from './known-digests.js';
import { RunReporter, type ShownRun } from './run-reporter.js';
import { askedIn, type AskedInterrupts, type Interrupt } from './interrupts.js';

export interface WaystationSaverOptions extends WaystationApiOptions {
  /** The agent under whose name the graph runs; by default `WAYSTATION_AGENT_ID`, else `langgraph`. */
  agentId?: string;
  /**
   * The thread is this, followed by LangGraph's id. Default: `langgraph:`; nothing in a program that `waystation agent` started, whose token is
   * for the thread `WAYSTATION_THREAD_ID` alone.
   */
  threadPrefix?: string;
  /** Whether graphs are shown as runs, and their interrupts as approvals; true by default. */
  report?: boolean;
  serde?: SerializerProtocol;
}

/** A minute without an answer; then the call fails. */
const PATIENCE = { retries: Infinity, timeoutMs: 15_000, totalTimeoutMs: 60_000 };
const PAGE = 20;

/** Keeps the checkpoints of graphs in Waystation, durably before each call resolves. */
export class WaystationSaver extends BaseCheckpointSaver {
  /**
   * Waits for people, however long the server is away.
   * @internal
   */
  readonly patient: WaystationApi;
  private readonly api: WaystationApi;
  private readonly agentId: string;
  private readonly prefix: string;
  private readonly reporter: RunReporter | null;
  private readonly digests = new KnownDigests();

  /** @throws ClientSettingError when the address or the token of the server is missing or unusable */
  constructor(options: WaystationSaverOptions = {}) {
    const { agentId, threadPrefix, report = true, serde, ...rest } = options;
    super(serde);
    this.api = new WaystationApi({ ...PATIENCE, ...rest });
    this.patient = new WaystationApi({ ...rest, retries: Infinity, totalTimeoutMs: Infinity });
    this.agentId = agentId ?? env('WAYSTATION_AGENT_ID') ?? 'langgraph';
    this.prefix = threadPrefix ?? (env('WAYSTATION_THREAD_ID') === undefined ? 'langgraph:' : '');
    this.reporter = report ? new RunReporter(this.api.runners) : null;
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.['thread_id'] === undefined) return undefined;
    const state = await this.find(placeOf(config));
    return state ? this.tupleOf(state) : undefined;
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id, checkpoint_ns, checkpoint_id } = (config.configurable ?? {}) as Record<
      string,
      string | undefined
    >;
    const filter =
      options.filter && Object.keys(options.filter).length > 0 ? JSON.stringify(options.filter) : undefined;
    const before = options.before?.configurable?.['checkpoint_id'] as string | undefined;
    let left = options.limit ?? Infinity;
    if (left <= 0) return;
    const states = this.api.states.each({
      ...(thread_id === undefined ? { thread_prefix: this.prefix } : { thread_id: this.prefix + thread_id }),
      ...(checkpoint_ns !== undefined && { ns: checkpoint_ns }),
      ...(before !== undefined && { before }),
      ...(filter !== undefined && { filter }),
      agent_id: this.agentId,
      limit: Math.min(left, PAGE),
    });
    for await (const state of states) {
      if (checkpoint_id !== undefined && state.checkpoint_id !== checkpoint_id) continue;
      yield await this.tupleOf(state);
      left -= 1;
      if (left <= 0) return;
    }
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const place = placeOf(config);
    const target: StoredPlace = { ...place, checkpointId: checkpoint.id };
    if (place.ns === '') this.reporter?.expect(this.runOf(place), checkpoint.id);
    const inherited = await this.inherited(place, checkpoint, newVersions);
    // A copy stands beside its original: what changed in the original is new to the parent of both, though LangGraph does not say so.
    const mayDiffer = place.checkpointId !== undefined || metadata.source === 'fork';
    const values: Record<string, SentValue> = {};
    for (const [channel, version] of Object.entries(checkpoint.channel_versions)) {
      if (!(channel in checkpoint.channel_values)) continue;
      const before = inherited[channel];
      const isInherited = before?.version === version && !(channel in newVersions);
      if (isInherited) values[channel] = { version, type: before.type, digest: before.digest };
      else if (mayDiffer || channel in newVersions)
        values[channel] = { version, ...(await this.dump(checkpoint.channel_values[channel])) };
    }
    const [metadataType, metadataBytes] = await this.serde.dumpsTyped(metadata);
    if (metadataType !== 'json') throw new Error('The serialiser must write metadata as JSON.');
    const parent_id = place.checkpointId ?? null;
    const state = {
      parent_id,
      checkpoint: await this.dump({ ...checkpoint, channel_values: {} }),
      metadata: parseExact(Buffer.from(metadataBytes).toString()) as Record<string, unknown>,
      values,
    };
    try {
      await this.store(target, state);
    } catch (error) {
      if (!(error instanceof ApiProblemError && error.code === 'unknown_digest')) throw error;
      // The states of the thread were deleted meanwhile.
      for (const [channel, { version }] of Object.entries(values)) {
        values[channel] = { version, ...(await this.dump(checkpoint.channel_values[channel])) };
      }
      await this.store(target, state);
    }
    if (place.ns === '') await this.reporter?.step(this.runOf(place), checkpoint.id, checkpoint.channel_values);
    return configOf(place.threadId, place.ns, checkpoint.id);
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ''): Promise<void> {
    const place = placeOf(config);
    const { checkpointId } = place;
    if (checkpointId === undefined) throw missing('checkpoint_id');
    const [run, reporter] = [this.runOf(place), place.ns === '' ? this.reporter : null];
    const interrupts = writes.flatMap(([channel, value]) => (channel === INTERRUPT ? (value as Interrupt[]) : []));
    // At once: other writes may overtake these.
    reporter?.note(run, checkpointId, taskId, interrupts);
    const sent = await Promise.all(
      writes.map(async ([channel, value], at) => ({
        idx: WRITES_IDX_MAP[channel] ?? at,
        channel,
        ...(await this.dump(value)),
      })),
    );
    const body = {
      task_id: taskId,
      task_path: taskPath,
      writes: [...new Map(sent.map((one) => [one.idx, one])).values()],
    };
    await this.api.states.putWrites(this.addressOf({ ...place, checkpointId }), body, this.queryOf(place));
    if (interrupts.length === 0 || !reporter) return;
    await reporter.ask(run, checkpointId, async () => (await this.getTuple(config))?.checkpoint.channel_values);
  }

  /**
   * Asks people about the interrupts of a graph that nobody has answered, unless they were asked.
   * @returns null where no task of the graph was interrupted
   * @internal
   */
  async ask(config: RunnableConfig): Promise<AskedInterrupts | null> {
    const tuple = await this.getTuple(config);
    const asked = tuple && askedIn(tuple.pendingWrites ?? []);
    if (!asked) return null;
    const [run, id, reporter] = [this.runOf(config), tuple.checkpoint.id, this.reporter];
    if (reporter && asked.open.size > 0) {
      reporter.recall(run, id, tuple.checkpoint.channel_values);
      for (const [task, interrupts] of asked.open) reporter.note(run, id, task, interrupts);
      await reporter.ask(run, id);
    }
    return asked;
  }

  /** Deletes the checkpoints and writes. What people see of the run stays until the thread is deleted in Waystation. */
  async deleteThread(threadId: string): Promise<void> {
    await this.api.states.delete(this.prefix + threadId, { agent_id: this.agentId });
    this.digests.forget(threadId);
  }

  /**
   * The run that shows the graph of a configuration.
   * @internal
   */
  runOf(config: RunnableConfig | Place): ShownRun {
    const { threadId } = 'threadId' in config ? config : placeOf(config);
    const shown = { threadId: this.prefix + threadId, traceId: `langgraph:${threadId}`, agentId: this.agentId };
    const parentTraceId = env('WAYSTATION_THREAD_ID') === shown.threadId ? env('WAYSTATION_TRACE_ID') : undefined;
    return parentTraceId === undefined ? shown : { ...shown, parentTraceId };
  }

  private async find(place: Place): Promise<StoredState | null> {
    const state = await this.api.states.get(this.addressOf(place), this.queryOf(place));
    if (state) this.digests.remember({ ...place, checkpointId: state.checkpoint_id }, state.values);
    return state;
  }

  private async tupleOf(state: StoredState): Promise<CheckpointTuple> {
    const threadId = state.thread_id.slice(this.prefix.length);
    const checkpoint = (await this.load(state.checkpoint)) as Checkpoint;
    const values = Object.entries(state.values).map(async ([name, value]) => [name, await this.load(value)] as const);
    checkpoint.channel_values = Object.fromEntries(await Promise.all(values));
    if (checkpoint.v < 4 && state.parent_id !== null) await this.addPendingSends(checkpoint, state, threadId);
    const tuple: CheckpointTuple = {
      config: configOf(threadId, state.ns, state.checkpoint_id),
      checkpoint,
      metadata: (await this.serde.loadsTyped('json', stringifyExact(state.metadata))) as CheckpointMetadata,
      pendingWrites: await this.pendingWrites(state),
    };
    if (state.parent_id !== null) tuple.parentConfig = configOf(threadId, state.ns, state.parent_id);
    return tuple;
  }

  private pendingWrites({ writes }: StoredState): Promise<CheckpointPendingWrite[]> {
    return Promise.all(
      writes.map(async (write): Promise<CheckpointPendingWrite> => [
        write.task_id,
        write.channel,
        await this.load(write),
      ]),
    );
  }

  /** Checkpoints of older graphs have what was sent to nodes with the writes of their parents. */
  private async addPendingSends(
    checkpoint: Checkpoint,
    { ns, parent_id }: StoredState,
    threadId: string,
  ): Promise<void> {
    const parent = await this.find({ threadId, ns, checkpointId: parent_id! });
    const sends = parent ? (await this.pendingWrites(parent)).filter(([, channel]) => channel === TASKS) : [];
    checkpoint.channel_values[TASKS] = sends.map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  private async store(target: StoredPlace, state: Schemas['PutStateDto']): Promise<void> {
    const { digests } = await this.api.states.put(this.addressOf(target), state, this.queryOf(target));
    const known = Object.entries(state.values ?? {}).map(([channel, { version, type }]) => {
      return [channel, { version, type, digest: digests[channel]! }] as const;
    });
    this.digests.remember(target, Object.fromEntries(known));
  }

  /** What the parent has of channels that did not change. */
  private async inherited(parent: Place, checkpoint: Checkpoint, newVersions: ChannelVersions): Promise<Digests> {
    const needsParent = Object.keys(checkpoint.channel_values).some((channel) => !(channel in newVersions));
    if (!needsParent || parent.checkpointId === undefined) return {};
    return this.digests.of(parent) ?? (await this.find(parent))?.values ?? {};
  }

  private addressOf<P extends Place>({ threadId, checkpointId }: P): Address<P> {
    return { thread_id: this.prefix + threadId, checkpoint_id: checkpointId };
  }

  private queryOf({ ns }: Place): { ns: string; agent_id: string } {
    return { ns, agent_id: this.agentId };
  }

  private async dump(value: unknown): Promise<Serialized> {
    const [type, bytes] = await this.serde.dumpsTyped(value);
    return { type, data: Buffer.from(bytes).toString('base64') };
  }

  private load({ type, data }: Serialized): Promise<unknown> {
    return this.serde.loadsTyped(type, new Uint8Array(Buffer.from(data, 'base64')));
  }
}

/** An environment variable; undefined where it is empty. */
function env(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}
