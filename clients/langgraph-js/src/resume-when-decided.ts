import type { RunnableConfig } from '@langchain/core/runnables';
import { Command } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { CallDecision, Question } from '@waystation/client';
import { WaystationSaver } from './waystation-saver.js';

/** What a person decided about an interrupt: what `interrupt()` returns in the graph, unless LangChain's middleware has called it. */
export interface Decision extends Omit<CallDecision, 'args' | 'isEdited'> {
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
  /**
   * What `interrupt()` is to return. By default the decision itself; where the interrupt asked with a text, and the person put another in
   * its place, that text. LangChain's middleware gets its own `decisions` whatever this says.
   * @param asked the value of the interrupt
   */
  toResume?: (decision: Decision, asked: unknown) => unknown;
}

/**
 * Waits until a person has decided about the interrupts of the graph, however long that takes or the server is away meanwhile, and goes on
 * with the graph. Where all are answered, but the process died, the graph goes on at once.
 * @returns what `graph.invoke` answers
 * @throws Error where the graph has no `WaystationSaver`, waits for nobody, or has several interrupts of which one has no id; NoDecisionError where nobody can decide any more, or a person has cancelled the run
 */
export async function resumeWhenDecided<Result>(
  graph: ResumableGraph<Result>,
  config: RunnableConfig,
  { signal, toResume = textOrDecision }: ResumeOptions = {},
): Promise<Result> {
  const saver = graph.checkpointer;
  if (!(saver instanceof WaystationSaver)) throw new Error('The graph has no WaystationSaver as its checkpointer.');
  // A process may have died before it asked, or after it was answered.
  const asked = await saver.ask(config);
  if (!asked) throw new Error('The graph waits for nobody.');
  const open = [...asked.open.values()].flat();
  const run = saver.runOf(config);
  const decisions =
    open.length > 0 ? await saver.api.runners.decisions(run, signal && { signal }) : new Map<string, CallDecision>();
  // Each answer with the id of its interrupt: without it LangGraph gives the value to every task of the step, also to those about which
  // nobody was asked. Only an interrupt that has no id gets it that way.
  const resume = new Map(asked.answers);
  let bare: { value: unknown } | undefined;
  for (const { interruptId, questions, answer } of open) {
    const made = questions.map((question) => decisionOn(question, asked.callIds, decisions));
    const value = questions[0]?.args;
    const given = answer(made, ({ args, isEdited: _, ...rest }) => toResume({ ...rest, value: args }, value));
    if (interruptId !== undefined) resume.set(interruptId, given);
    else if (open.length + asked.answers.size === 1) bare = { value: given };
    else throw new Error('An interrupt of the graph has no id, so LangGraph would give its answer to all of them.');
  }
  const resumed = resume.size > 0 ? Object.fromEntries(resume) : bare?.value;
  const input = resume.size > 0 || bare ? new Command({ resume: resumed }) : null;
  return graph.invoke(input as never, config as never);
}

function textOrDecision(decision: Decision, asked: unknown): unknown {
  const { approved, value } = decision;
  const isAnswer = approved && typeof asked === 'string' && typeof value === 'string' && value !== asked;
  return isAnswer ? value : decision;
}

function decisionOn(
  question: Question,
  callIds: ReadonlyMap<Question, string>,
  decisions: ReadonlyMap<string, CallDecision>,
): CallDecision {
  const id = callIds.get(question) ?? question.id;
  const decided = decisions.get(id);
  if (!decided) throw new Error(`Nobody was asked about the interrupt ${id}.`);
  // The call has only the text of a value that is no object.
  return decided.isEdited ? decided : { ...decided, args: question.args };
}
