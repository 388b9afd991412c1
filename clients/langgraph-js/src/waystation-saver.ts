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
  StateStore,
  StepReporter,
  WaystationApi,
  bytesOf,
  callIdsOf,
  givenRun,
  parseExact,
  stringifyExact,
  type OwnValue,
  type Question,
  type RunIds,
  type Schemas,
  type StatePlace,
  type WaystationApiOptions,
} from '@waystation/client';
import { askedIn, interruptsIn, questionsIn, type AskedInterrupts } from './interrupts.js';
import { historyIn, shownStep } from './shown-step.js';

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
/** The task in whose name LangGraph writes what is for all tasks. */
const NO_TASK = '00000000-0000-0000-0000-000000000000';

/** Keeps the checkpoints of graphs in Waystation, durably before each call resolves. */
export class WaystationSaver extends BaseCheckpointSaver {
  /** @internal */
  readonly api: WaystationApi;
  private readonly store: StateStore;
  private readonly prefix: string;
  private readonly reporter: StepReporter | null;

  /** @throws ClientSettingError when the address or the token of the server is missing or unusable */
  constructor(options: WaystationSaverOptions = {}) {
    const { agentId, threadPrefix, report = true, serde, ...rest } = options;
    super(serde);
    const given = givenRun();
    const {
      retries = PATIENCE.retries,
      timeoutMs = PATIENCE.timeoutMs,
      totalTimeoutMs = PATIENCE.totalTimeoutMs,
    } = options;
    this.api = new WaystationApi({ ...rest, retries, timeoutMs, totalTimeoutMs });
    this.store = new StateStore(this.api.states, agentId ?? given.agent_id ?? 'langgraph');
    this.prefix = threadPrefix ?? (given.thread_id === undefined ? 'langgraph:' : '');
    this.reporter = report ? new StepReporter(this.api.runners) : null;
  }

  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.['thread_id'] === undefined) return undefined;
    const state = await this.store.get(this.placeOf(config));
    return state ? this.tupleOf(state) : undefined;
  }

  async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const wanted = (config.configurable ?? {}) as Record<string, string | undefined>;
    const { thread_id, checkpoint_ns: ns, checkpoint_id } = wanted;
    const place = thread_id === undefined ? { thread_prefix: this.prefix } : { thread_id: this.threadOf(thread_id) };
    const before = options.before?.configurable?.['checkpoint_id'] as string | undefined;
    let left = options.limit ?? Infinity;
    if (left <= 0) return;
    for await (const state of this.store.each({ ...place, ns, before, filter: options.filter, page: left })) {
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
    const parent = this.placeOf(config);
    const place = { ...parent, checkpoint_id: checkpoint.id };
    const reporter = place.ns === '' ? this.reporter : null;
    const run = this.runOf(config);
    reporter?.expect(run, checkpoint.id);
    // A copy stands beside its original: what changed in the original is new to the parent of both, though LangGraph does not say so.
    const mayDiffer = parent.checkpoint_id !== undefined || metadata.source === 'fork';
    const values: Record<string, OwnValue> = {};
    for (const [channel, version] of Object.entries(checkpoint.channel_versions)) {
      if (!(channel in checkpoint.channel_values)) continue;
      const isNew = channel in newVersions;
      const dump = () => this.serde.dumpsTyped(checkpoint.channel_values[channel]);
      values[channel] = isNew || mayDiffer ? { version, isNew, dump } : { version };
    }
    const [metadataType, metadataBytes] = await this.serde.dumpsTyped(metadata);
    if (metadataType !== 'json') throw new Error('The serialiser must write metadata as JSON.');
    await this.store.put(place, {
      parent_id: parent.checkpoint_id ?? null,
      checkpoint: await this.serde.dumpsTyped({ ...checkpoint, channel_values: {} }),
      metadata: parseExact(Buffer.from(metadataBytes).toString()) as Record<string, unknown>,
      values,
    });
    // With new input, also after somebody has cancelled what was before.
    const begins = metadata.source === 'input';
    await reporter?.step(run, checkpoint.id, shownStep(checkpoint.channel_values), { begins });
    return this.configOf(place, checkpoint.id);
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ''): Promise<void> {
    const { checkpoint_id, ...place } = this.placeOf(config);
    if (checkpoint_id === undefined) throw missing('checkpoint_id');
    const [run, reporter] = [this.runOf(config), place.ns === '' ? this.reporter : null];
    const asked = writes.flatMap(([channel, value]) => (channel === INTERRUPT ? interruptsIn(taskId, value) : []));
    // At once: other writes may overtake these. An answer is a write in the name of its interrupt.
    reporter?.answered(run, checkpoint_id, taskId === NO_TASK ? undefined : taskId);
    reporter?.note(run, checkpoint_id, taskId, questionsIn(asked));
    const dumped = writes.map(async ([channel, value], at) => {
      return { idx: WRITES_IDX_MAP[channel] ?? at, channel, value: await this.serde.dumpsTyped(value) };
    });
    const task = { task_id: taskId, task_path: taskPath, writes: await Promise.all(dumped) };
    await this.store.putWrites({ ...place, checkpoint_id }, task);
    if (asked.length === 0 || !reporter) return;
    const history = (tuple?: CheckpointTuple) => tuple && historyIn(tuple.checkpoint.channel_values);
    await reporter.ask(run, checkpoint_id, () => this.getTuple(config).then(history));
  }

  /**
   * Asks people about the interrupts of a graph that nobody has answered, unless they were asked.
   * @returns also the ids of the tool calls; null where no task of the graph was interrupted
   * @throws NoDecisionError where a person has cancelled the run: see `StepReporter.takeUp`
   * @internal
   */
  async ask(config: RunnableConfig): Promise<(AskedInterrupts & { callIds: ReadonlyMap<Question, string> }) | null> {
    const tuple = await this.getTuple(config);
    const asked = tuple && askedIn(tuple.pendingWrites ?? []);
    if (!asked) return null;
    const history = historyIn(tuple.checkpoint.channel_values);
    const questions = [...asked.open].map(([task, interrupts]) => [task, questionsIn(interrupts)] as const);
    const callIds = callIdsOf(new Map(questions), history);
    const [run, id, reporter] = [this.runOf(config), tuple.checkpoint.id, this.reporter];
    if (!reporter) return { ...asked, callIds };
    for (const [task, open] of questions) reporter.note(run, id, task, open);
    await reporter.takeUp(run, id, history);
    return { ...asked, callIds };
  }

  /** Deletes the checkpoints and writes. What people see of the run stays until the thread is deleted in Waystation. */
  async deleteThread(threadId: string): Promise<void> {
    await this.store.delete(this.threadOf(threadId));
  }

  /**
   * The run that shows the graph of a configuration.
   * @internal
   */
  runOf(config: RunnableConfig): RunIds {
    const { thread_id } = this.placeOf(config);
    const trace_id = `langgraph:${thread_id.slice(this.prefix.length)}`;
    const caller = givenRun();
    const parent_trace_id = (caller.thread_id === thread_id && caller.trace_id) || null;
    return { thread_id, trace_id, agent_id: this.store.agentId, parent_trace_id };
  }

  private placeOf({ configurable }: RunnableConfig): StatePlace & { ns: string } {
    const { thread_id, checkpoint_ns, checkpoint_id } = (configurable ?? {}) as Record<string, string | undefined>;
    return { thread_id: this.threadOf(thread_id), ns: checkpoint_ns ?? '', checkpoint_id: checkpoint_id || undefined };
  }

  /** @throws Error for no id, and for an empty one, which many graphs would share */
  private threadOf(threadId: string | null | undefined): string {
    if (threadId === undefined || threadId === null || threadId === '') throw missing('thread_id');
    return this.prefix + threadId;
  }

  private configOf({ thread_id, ns }: StatePlace, checkpointId: string): RunnableConfig {
    const threadId = thread_id.slice(this.prefix.length);
    return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpointId } };
  }

  private async tupleOf(state: Schemas['StateDto']): Promise<CheckpointTuple> {
    const checkpoint = (await this.load(state.checkpoint)) as Checkpoint;
    const values = Object.entries(state.values).map(async ([name, value]) => [name, await this.load(value)] as const);
    checkpoint.channel_values = Object.fromEntries(await Promise.all(values));
    if (checkpoint.v < 4 && state.parent_id !== null) await this.addPendingSends(checkpoint, state);
    const tuple: CheckpointTuple = {
      config: this.configOf(state, state.checkpoint_id),
      checkpoint,
      metadata: (await this.serde.loadsTyped('json', stringifyExact(state.metadata))) as CheckpointMetadata,
      pendingWrites: await this.pendingWrites(state),
    };
    if (state.parent_id !== null) tuple.parentConfig = this.configOf(state, state.parent_id);
    return tuple;
  }

  private pendingWrites({ writes }: Schemas['StateDto']): Promise<CheckpointPendingWrite[]> {
    const loaded = writes.map(async (one): Promise<CheckpointPendingWrite> => {
      return [one.task_id, one.channel, await this.load(one)];
    });
    return Promise.all(loaded);
  }

  /** Checkpoints of older graphs have what was sent to nodes with the writes of their parents. */
  private async addPendingSends(checkpoint: Checkpoint, state: Schemas['StateDto']): Promise<void> {
    const parent = await this.store.get({ ...state, checkpoint_id: state.parent_id! });
    const sends = parent ? (await this.pendingWrites(parent)).filter(([, channel]) => channel === TASKS) : [];
    checkpoint.channel_values[TASKS] = sends.map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  private load(value: Schemas['SerializedDto']): Promise<unknown> {
    return this.serde.loadsTyped(value.type, bytesOf(value));
  }
}

function missing(name: string): Error {
  return new Error(`The configuration of the graph has no "${name}" in its "configurable".`);
}
