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
import { historyIn, nextNode, shownStep, usageIn } from './shown-step.js';

export interface WaystationSaverOptions extends WaystationApiOptions {
  /** The agent that the graph runs as. Default: `WAYSTATION_AGENT_ID`, otherwise `langgraph`. */
  agentId?: string;
  /**
   * Prefix of thread ids; LangGraph's id follows. Default: `langgraph:`; empty in a program started by `waystation agent`, whose token is
   * only for the thread `WAYSTATION_THREAD_ID`.
   */
  threadPrefix?: string;
  /** Whether graphs are shown as runs, and their interrupts as approvals. Default: true. */
  report?: boolean;
  serde?: SerializerProtocol;
}

/** A minute without an answer; then the call fails. */
const PATIENCE = { retries: Infinity, timeoutMs: 15_000, totalTimeoutMs: 60_000 };
/** LangGraph's pseudo task for writes that concern all tasks. */
const NO_TASK = '00000000-0000-0000-0000-000000000000';

/** Stores graphs' checkpoints in Waystation, durably before each call resolves. */
export class WaystationSaver extends BaseCheckpointSaver {
  /** @internal */
  readonly api: WaystationApi;
  private readonly store: StateStore;
  private readonly prefix: string;
  private readonly reporter: StepReporter | null;
  /** Number of messages before the last input, by thread, for inputs that this process received. */
  private readonly turnStarts = new Map<string, number>();
  /** The next node after each of the newest checkpoints stored by this process. */
  private readonly nextNodes = new Map<string, string | undefined>();
  /** Interrupts that arrived before their checkpoints, which tell the nodes. */
  private readonly early = new Map<string, [taskId: string, value: unknown][]>();

  /** @throws ClientSettingError when the server's address or token is missing or unusable */
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
    if (reporter) this.nameEarly(run, checkpoint, reporter);
    // A copy has the original's parent: changes in the original are new to that parent, though LangGraph does not say so.
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
    const state = {
      parent_id: parent.checkpoint_id ?? null,
      checkpoint: await this.serde.dumpsTyped({ ...checkpoint, channel_values: {} }),
      metadata: parseExact(Buffer.from(metadataBytes).toString()) as Record<string, unknown>,
      values,
    };
    // New input begins the run, even if an earlier one was cancelled.
    const begins = metadata.source === 'input';
    if (begins && place.ns === '')
      remember(this.turnStarts, place.thread_id, historyIn(checkpoint.channel_values).length);
    const shown = shownStep(checkpoint.channel_values, this.turnStarts.get(place.thread_id));
    await this.store.put(place, state, {
      events: () => reporter?.stepEvents(run, checkpoint.id, shown, { begins }) ?? [],
    });
    return this.configOf(place, checkpoint.id);
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath = ''): Promise<void> {
    const { checkpoint_id, ...place } = this.placeOf(config);
    if (checkpoint_id === undefined) throw missing('checkpoint_id');
    const [run, reporter] = [this.runOf(config), place.ns === '' ? this.reporter : null];
    const interrupts = writes.filter(([channel]) => channel === INTERRUPT);
    const key = keyOf(place.thread_id, checkpoint_id);
    const isKnown = this.nextNodes.has(key);
    // Another process has stored it.
    const step = interrupts.length > 0 && reporter && !isKnown ? await this.getTuple(config) : undefined;
    const node = step ? nextNode(step.checkpoint.channel_values) : this.nextNodes.get(key);
    const asked = interrupts.flatMap(([, value]) => interruptsIn(taskId, value, node));
    if (asked.length > 0 && !step && !this.nextNodes.has(key)) {
      const values = interrupts.map(([, value]): [string, unknown] => [taskId, value]);
      remember(this.early, key, [...(this.early.get(key) ?? []), ...values]);
    }
    // Before awaiting, as other writes may overtake these. An answer is a write under its interrupt's id.
    reporter?.answered(run, checkpoint_id, taskId === NO_TASK ? undefined : taskId);
    reporter?.note(run, checkpoint_id, taskId, questionsIn(asked));
    const dumped = writes.map(async ([channel, value], at) => {
      return { idx: WRITES_IDX_MAP[channel] ?? at, channel, value: await this.serde.dumpsTyped(value) };
    });
    const task = { task_id: taskId, task_path: taskPath, writes: await Promise.all(dumped) };
    const asks = asked.length > 0 && reporter;
    if (asks && step) {
      const { channel_values: channels } = step.checkpoint;
      asks.recall(run, checkpoint_id, historyIn(channels), usageIn(channels, this.turnStarts.get(place.thread_id)));
    }
    await this.store.putWrites({ ...place, checkpoint_id }, task, {
      events: () => (asks ? asks.askEvents(run, checkpoint_id) : []),
    });
  }

  /**
   * Asks people about the graph's unanswered interrupts, unless they were asked already.
   * @returns also the ids of the tool calls; null if no task of the graph was interrupted
   * @throws NoDecisionError if a person has cancelled the run: see `StepReporter.takeUp`
   * @internal
   */
  async ask(config: RunnableConfig): Promise<(AskedInterrupts & { callIds: ReadonlyMap<Question, string> }) | null> {
    const tuple = await this.getTuple(config);
    const channels = tuple?.checkpoint.channel_values ?? {};
    const asked = tuple && askedIn(tuple.pendingWrites ?? [], nextNode(channels));
    if (!asked) return null;
    const history = historyIn(channels);
    const questions = [...asked.open].map(([task, interrupts]) => [task, questionsIn(interrupts)] as const);
    const callIds = callIdsOf(new Map(questions), history);
    const [run, id, reporter] = [this.runOf(config), tuple.checkpoint.id, this.reporter];
    if (!reporter) return { ...asked, callIds };
    for (const [task, open] of questions) reporter.note(run, id, task, open);
    await reporter.takeUp(run, id, history, usageIn(channels, this.turnStarts.get(run.thread_id)));
    return { ...asked, callIds };
  }

  /** Deletes the checkpoints and writes. The recorded run stays until the thread is deleted in Waystation. */
  async deleteThread(threadId: string): Promise<void> {
    await this.store.delete(this.threadOf(threadId));
  }

  /**
   * The run that shows the graph of this configuration.
   * @internal
   */
  runOf(config: RunnableConfig): RunIds {
    const { thread_id } = this.placeOf(config);
    const trace_id = `langgraph:${thread_id.slice(this.prefix.length)}`;
    const caller = givenRun();
    const parent_trace_id = (caller.thread_id === thread_id && caller.trace_id) || null;
    return { thread_id, trace_id, agent_id: this.store.agentId, parent_trace_id };
  }

  /** Names early interrupts before anybody is asked, because the next node is now known. */
  private nameEarly(run: RunIds, { id, channel_values }: Checkpoint, reporter: StepReporter): void {
    const node = nextNode(channel_values);
    const key = keyOf(run.thread_id, id);
    remember(this.nextNodes, key, node);
    for (const [task, value] of this.early.get(key) ?? []) {
      reporter.note(run, id, task, questionsIn(interruptsIn(task, value, node)));
    }
    this.early.delete(key);
  }

  private placeOf({ configurable }: RunnableConfig): StatePlace & { ns: string } {
    const { thread_id, checkpoint_ns, checkpoint_id } = (configurable ?? {}) as Record<string, string | undefined>;
    return { thread_id: this.threadOf(thread_id), ns: checkpoint_ns ?? '', checkpoint_id: checkpoint_id || undefined };
  }

  /** @throws Error for a missing or empty id, which many graphs would share */
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

  /** Older graphs' checkpoints store what was sent to nodes in the writes of their parents. */
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

const MAX_REMEMBERED = 1_000;

/** Copies of a thread have the same checkpoint ids. */
function keyOf(threadId: string, checkpointId: string): string {
  return JSON.stringify([threadId, checkpointId]);
}

function remember<T>(known: Map<string, T>, name: string, value: T): void {
  known.delete(name);
  known.set(name, value);
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
}

function missing(name: string): Error {
  return new Error(`The configuration of the graph has no "${name}" in its "configurable".`);
}
