import { createHash } from 'node:crypto';
import type { Interrupt } from './interrupts.js';
import { chatCall, chatMessages } from './chat-messages.js';
import { ApiProblemError, type RunnersApi, type Schemas } from '@waystation/client';

/** Which run of Waystation shows a graph. */
export interface ShownRun {
  threadId: string;
  traceId: string;
  agentId: string;
  /** The run that called the graph, if any. */
  parentTraceId?: string;
}

/** What the reporter knows of a checkpoint. */
interface Shown {
  /** Undefined where the checkpoint is another process's, null where its step is to come. */
  messages?: unknown[] | null;
  /** Interrupts that nobody has answered, by their tasks. */
  open: Map<string, readonly Interrupt[]>;
}

type Channels = Readonly<Record<string, unknown>>;

/** Begins the names of channels of edges that join nodes. */
const JOIN = 'join:';
/** The task in whose name LangGraph writes what is for all tasks. */
const NO_TASK = '00000000-0000-0000-0000-000000000000';
/** Checkpoints that the reporter remembers. */
const MAX_REMEMBERED = 200;

/** Shows graphs as runs: each checkpoint is a step, an interrupt a tool call that waits for a person. */
export class RunReporter {
  private readonly shown = new Map<string, Shown>();
  /** Reports of a thread keep their order. */
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(private readonly runners: RunnersApi) {}

  /** Says that the step of a checkpoint will come: what is asked on top of it comes after it. */
  expect(run: ShownRun, checkpointId: string): void {
    this.shownOf(run, checkpointId).messages = null;
  }

  /** Resolves when the step, and what was asked on top of it meanwhile, is stored durably. */
  async step(run: ShownRun, checkpointId: string, channels: Channels): Promise<void> {
    const messages = messagesIn(channels);
    this.shownOf(run, checkpointId).messages = messages;
    const history = chatMessages(messages);
    const stored = this.report(run, checkpointId, { status: hasWork(channels) ? 'in_progress' : 'idle', history });
    await Promise.all([stored, this.ask(run, checkpointId)]);
  }

  /**
   * Takes note of what a task wrote, in the order of LangGraph's calls: its interrupts, if any, take the place of those before. The answer to
   * an interrupt is a write in the name of its id, one to all of them in that of no task.
   */
  note(run: ShownRun, checkpointId: string, taskId: string, interrupts: readonly Interrupt[]): void {
    const { open } = this.shownOf(run, checkpointId);
    for (const [task, found] of open) {
      if ([task, NO_TASK].includes(taskId) || found.some(({ id }) => id === taskId)) open.delete(task);
    }
    if (interrupts.length > 0) open.set(taskId, interrupts);
  }

  /** Says what a stored checkpoint holds, for what is asked on top of it. */
  recall(run: ShownRun, checkpointId: string, channels: Channels): void {
    this.shownOf(run, checkpointId).messages ??= messagesIn(channels);
  }

  /**
   * Asks a person about all open interrupts, and resolves when that is stored durably, or will be with the step of the checkpoint: LangGraph
   * stores both at once.
   * @param channels of the checkpoint, if it is stored
   */
  async ask(run: ShownRun, checkpointId: string, channels?: () => Promise<Channels | undefined>): Promise<void> {
    const shown = this.shownOf(run, checkpointId);
    if (shown.messages === undefined) {
      const stored = await channels?.();
      if (stored) this.recall(run, checkpointId, stored);
    }
    const { messages, open } = shown;
    if (!messages || open.size === 0) return;
    const calls = [...open].flatMap(([task, found]) =>
      found.map(({ id, value }, at) => ({ id: id ?? `${task}-${at}`, name: 'interrupt', args: value })),
    );
    const pending_tool_calls = calls.sort((a, b) => (a.id < b.id ? -1 : 1)).map(chatCall);
    // Another process that asks the same reports the same event.
    const id = `${checkpointId}:${createHash('sha256').update(JSON.stringify(pending_tool_calls)).digest('hex')}`;
    await this.report(run, id, { status: 'waiting_for_approval', history: chatMessages(messages), pending_tool_calls });
  }

  private shownOf({ threadId }: ShownRun, checkpointId: string): Shown {
    const key = JSON.stringify([threadId, checkpointId]);
    const shown = this.shown.get(key) ?? { open: new Map() };
    this.shown.delete(key);
    this.shown.set(key, shown);
    const [oldest] = this.shown.keys();
    if (this.shown.size > MAX_REMEMBERED && oldest !== undefined) this.shown.delete(oldest);
    return shown;
  }

  private report(run: ShownRun, id: string, fields: object): Promise<void> {
    const { threadId, traceId, agentId, parentTraceId } = run;
    const names = { thread_id: threadId, trace_id: traceId, agent_id: agentId, parent_trace_id: parentTraceId };
    const before = this.queues.get(threadId) ?? Promise.resolve();
    const sent = before.then(() => this.send({ type: 'checkpoint', id, data: { ...names, ...fields } }));
    const settled = sent.catch(() => undefined);
    this.queues.set(threadId, settled);
    void settled.then(() => {
      if (this.queues.get(threadId) === settled) this.queues.delete(threadId);
    });
    return sent;
  }

  /** @throws ApiProblemError when the event is refused, too: nobody would be asked, or another process drives the run by now */
  private async send(event: Schemas['RunnerEventDto']): Promise<void> {
    const { rejected } = await this.runners.report([event]);
    const [refused] = rejected;
    if (!refused) return;
    const { code, detail } = refused;
    throw new ApiProblemError({ type: 'about:blank', title: 'Rejected', status: 207, code, detail });
  }
}

/** The messages of a checkpoint; none where the channel holds others. */
function messagesIn({ messages }: Channels): unknown[] {
  return Array.isArray(messages) ? messages : [];
}

/** Whether a node is to run next: LangGraph says so in channels of its own. */
function hasWork(channels: Channels): boolean {
  return Object.entries(channels).some(([name, value]) => {
    if (name === '__pregel_tasks') return Array.isArray(value) && value.length > 0;
    // The channel of a deferred node stays, without a value.
    if (name.startsWith('branch:')) return value !== undefined;
    return name === '__start__' || (name.startsWith(JOIN) && isJoined(name, value));
  });
}

/**
 * Whether all nodes have come for which an edge waits that joins them. The channel `join:FIRST+SECOND:NEXT` stays after that, with those that have
 * come since; where the next node is deferred, it also says whether that may run.
 */
function isJoined(name: string, value: unknown): boolean {
  const waitedFor = name.slice(JOIN.length, name.lastIndexOf(':'));
  if (!Array.isArray(value)) return false;
  const come = (Array.isArray(value[0]) ? value[0] : value) as unknown[];
  // A name may have a plus itself, but each comes once, in any order.
  return come.join('+').length === waitedFor.length;
}
