import { createHash } from 'node:crypto';
import { chatCall, chatMessages } from './chat-messages.js';
import { WaystationRefusalError, type ApiConnection } from './api-connection.js';

/** Which run of Waystation shows a graph. */
export interface ShownRun {
  threadId: string;
  traceId: string;
  agentId: string;
  /** The run that called the graph, if any. */
  parentTraceId?: string;
}

/** An interrupt of LangGraph. */
export interface Interrupt {
  id?: string;
  value?: unknown;
}

interface Reported {
  history: object[];
  /** The interrupts on top of the checkpoint. */
  interrupts: Map<string, unknown>;
  checkpointId: string;
}

/** Threads of which the reporter remembers what it reported last. */
const MAX_REMEMBERED = 200;

/** Shows graphs as runs: each checkpoint is a step, an interrupt a tool call that waits for a person. */
export class RunReporter {
  private readonly last = new Map<string, Reported>();
  private readonly expected = new Set<string>();
  /** Interrupts of checkpoints whose steps are to come. */
  private readonly early = new Map<string, Interrupt[]>();
  /** Reports of a thread keep their order. */
  private readonly queues = new Map<string, Promise<void>>();

  constructor(private readonly api: ApiConnection) {}

  /** Says that the step of a checkpoint will come: what is asked on top of it comes after it. */
  expect(checkpointId: string): void {
    this.expected.add(checkpointId);
  }

  /** Resolves when the step, and what was asked on top of it meanwhile, is stored durably. */
  async step(run: ShownRun, checkpointId: string, channels: Record<string, unknown>): Promise<void> {
    const history = chatMessages(channels['messages']);
    this.remember(run, { history, interrupts: new Map(), checkpointId });
    this.expected.delete(checkpointId);
    const stored = this.report(run, checkpointId, { status: hasWork(channels) ? 'in_progress' : 'idle', history });
    const early = this.early.get(checkpointId);
    this.early.delete(checkpointId);
    await Promise.all([stored, early && this.ask(run, checkpointId, early)]);
  }

  /**
   * Asks a person, and resolves when that is stored durably, or will be with the step of the checkpoint: LangGraph stores both at once.
   * @param messages of the checkpoint, if it is stored
   */
  async ask(
    run: ShownRun,
    checkpointId: string,
    found: readonly Interrupt[],
    messages: () => Promise<{ messages: unknown } | undefined> = () => Promise.resolve(undefined),
  ): Promise<void> {
    const stored = this.isLast(run, checkpointId) ? undefined : await messages();
    if (!this.isLast(run, checkpointId)) {
      if (!stored || this.expected.has(checkpointId)) {
        this.early.set(checkpointId, [...(this.early.get(checkpointId) ?? []), ...found]);
        return;
      }
      this.remember(run, { history: chatMessages(stored.messages), interrupts: new Map(), checkpointId });
    }
    const { history, interrupts } = this.last.get(run.threadId)!;
    for (const [at, one] of found.entries()) interrupts.set(one.id ?? `${checkpointId}-${at}`, one.value);
    const sorted = [...interrupts].sort(([a], [b]) => (a < b ? -1 : 1));
    const calls = sorted.map(([id, value]) => chatCall({ id, name: 'interrupt', args: value }));
    const id = `${checkpointId}:${createHash('sha256').update(JSON.stringify(calls)).digest('hex')}`;
    await this.report(run, id, { status: 'waiting_for_approval', history, pending_tool_calls: calls });
  }

  private isLast({ threadId }: ShownRun, checkpointId: string): boolean {
    return this.last.get(threadId)?.checkpointId === checkpointId;
  }

  private report(run: ShownRun, id: string, fields: object): Promise<void> {
    const { threadId, traceId, agentId, parentTraceId } = run;
    const names = { thread_id: threadId, trace_id: traceId, agent_id: agentId, parent_trace_id: parentTraceId };
    const body = JSON.stringify({ events: [{ type: 'checkpoint', id, data: { ...names, ...fields } }] });
    const before = this.queues.get(threadId) ?? Promise.resolve();
    const sent = before.then(async () => {
      const { body: answer } = await this.api.send<{ rejected: { code: string; detail: string }[] }>(
        'POST',
        '/v1/runners/events',
        body,
      );
      const refused = answer?.rejected[0];
      if (refused) throw new WaystationRefusalError(207, refused.code, refused.detail, { ...refused });
    });
    const settled = sent.catch(() => undefined);
    this.queues.set(threadId, settled);
    void settled.then(() => {
      if (this.queues.get(threadId) === settled) this.queues.delete(threadId);
    });
    return sent;
  }

  private remember({ threadId }: ShownRun, reported: Reported): void {
    this.last.delete(threadId);
    this.last.set(threadId, reported);
    const [oldest] = this.last.keys();
    if (this.last.size > MAX_REMEMBERED && oldest !== undefined) this.last.delete(oldest);
  }
}

/** Whether a node is to run next: LangGraph says so in channels of its own. */
function hasWork(channels: Record<string, unknown>): boolean {
  return Object.entries(channels).some(([name, value]) => {
    if (name === '__pregel_tasks') return Array.isArray(value) && value.length > 0;
    return name === '__start__' || name.startsWith('branch:') || name.startsWith('join:');
  });
}
