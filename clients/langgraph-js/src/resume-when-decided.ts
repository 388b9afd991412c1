import type { RunnableConfig } from '@langchain/core/runnables';
import { Command } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Interrupt } from './interrupts.js';
import { WaystationSaver } from './waystation-saver.js';

/** What a person decided about an interrupt: what `interrupt()` returns in the graph. */
export interface Decision {
  approved: boolean;
  reason: string | null;
  decidedBy: string | null;
  /** The value of the interrupt; changed, where the person was allowed to. */
  value: unknown;
}

/** A compiled graph, as far as it matters here. */
export interface ResumableGraph<Result> {
  checkpointer?: BaseCheckpointSaver | boolean | undefined;
  invoke(input: never, config: never): Promise<Result>;
}

export interface ResumeOptions {
  /** Ends the wait. */
  signal?: AbortSignal;
  /** What `interrupt()` is to return; by default the decision itself. */
  toResume?: (decision: Decision) => unknown;
}

interface Approval {
  status: string;
  reason: string | null;
  decided_by: string | null;
  tool_calls: { id: string; args: unknown; decision: 'approve' | 'reject' | null; edited_args: unknown }[];
}

/**
 * Waits until a person has decided about the interrupts of the graph, however long that takes or the server is away meanwhile, and goes on
 * with the graph. Where all are answered, but the process died, the graph goes on at once.
 * @returns what `graph.invoke` answers
 * @throws Error where the graph has no `WaystationSaver`, or waits for nobody
 */
export async function resumeWhenDecided<Result>(
  graph: ResumableGraph<Result>,
  config: RunnableConfig,
  { signal, toResume = (decision) => decision }: ResumeOptions = {},
): Promise<Result> {
  const saver = graph.checkpointer;
  if (!(saver instanceof WaystationSaver)) throw new Error('The graph has no WaystationSaver as its checkpointer.');
  // A process may have died before it asked, or after it was answered.
  const asked = await saver.ask(config);
  if (!asked) throw new Error('The graph waits for nobody.');
  const open = [...asked.open.values()].flat();
  const decisions = open.length > 0 ? await waitForDecisions(saver, config, open, signal) : [];
  const given = new Map(decisions.map(([id, decision]) => [id, toResume(decision)] as const));
  return graph.invoke(inputOf(asked.answers, open, given) as never, config as never);
}

/**
 * Each answer with the id of its interrupt: without it LangGraph gives the value to every task of the step, also to those about which nobody was
 * asked. Only interrupts that have no id get it that way.
 */
function inputOf(
  answers: ReadonlyMap<string, unknown>,
  open: readonly Interrupt[],
  given: ReadonlyMap<string, unknown>,
): Command | null {
  const resume = new Map(answers);
  for (const { id } of open) {
    if (id === undefined) continue;
    if (!given.has(id)) throw new Error(`Nobody was asked about the interrupt ${id}.`);
    resume.set(id, given.get(id));
  }
  if (resume.size > 0) return new Command({ resume: Object.fromEntries(resume) });
  return given.size > 0 ? new Command({ resume: [...given.values()][0] }) : null;
}

/** The decision on each interrupt, by its id. */
async function waitForDecisions(
  saver: WaystationSaver,
  config: RunnableConfig,
  open: readonly Interrupt[],
  signal: AbortSignal | undefined,
): Promise<[string, Decision][]> {
  const { threadId, traceId } = saver.runOf(config);
  const watched = saver.patient.runners.watch(
    threadId,
    { trace_id: traceId, history: 'none' },
    signal ? { signal } : {},
  );
  for await (const { status, approval } of watched) {
    if (status === 'waiting_for_approval') continue;
    if (!approval || !['approved', 'rejected'].includes(status)) break;
    return decisionsIn(approval as unknown as Approval, open);
  }
  throw new Error('Nobody can decide about the interrupts any more.');
}

function decisionsIn(
  { status, reason, decided_by: decidedBy, tool_calls }: Approval,
  open: readonly Interrupt[],
): [string, Decision][] {
  return tool_calls.map(({ id, args, decision, edited_args }) => {
    const approved = decision === null ? status === 'approved' : decision === 'approve';
    // The call has only the text of a value that is no object.
    const asked = open.find((one) => one.id === id);
    return [id, { approved, reason, decidedBy, value: edited_args ?? (asked ? asked.value : args) }];
  });
}
