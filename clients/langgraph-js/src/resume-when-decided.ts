import type { RunnableConfig } from '@langchain/core/runnables';
import { Command } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { CallDecision, Question } from '@waystation/client';
import { WaystationSaver } from './waystation-saver.js';

/** A person's decision on an interrupt: the result of `interrupt()` in the graph, unless LangChain's middleware has called it. */
export interface Decision extends Omit<CallDecision, 'args' | 'isEdited'> {
  /** The interrupt's value, possibly edited by the person. */
  value: unknown;
}

/** The members of a compiled graph that are used here. */
export interface ResumableGraph<Result> {
  checkpointer?: BaseCheckpointSaver | boolean | undefined;
  invoke(input: never, config: never): Promise<Result>;
}

export interface ResumeOptions {
  /** Ends the wait. */
  signal?: AbortSignal;
  /**
   * The value for `interrupt()` to return. Default: the decision itself, or a person's edited text if the interrupt asked with a text.
   * LangChain's middleware always gets its own `decisions`.
   * @param asked the value of the interrupt
   */
  toResume?: (decision: Decision, asked: unknown) => unknown;
}

/**
 * Waits until a person has decided the graph's interrupts, even while the server is away, and resumes the graph. If all were answered
 * before the process died, it resumes at once.
 * @returns the result of `graph.invoke`
 * @throws Error if the graph has no `WaystationSaver`, waits for nobody, or has several interrupts of which one has no id; NoDecisionError
 * when nobody can decide any more, or a person has cancelled the run
 */
export async function resumeWhenDecided<Result>(
  graph: ResumableGraph<Result>,
  config: RunnableConfig,
  { signal, toResume = textOrDecision }: ResumeOptions = {},
): Promise<Result> {
  const saver = graph.checkpointer;
  if (!(saver instanceof WaystationSaver)) throw new Error('The graph has no WaystationSaver as its checkpointer.');
  // A process may have died before it asked, or after the answer.
  const asked = await saver.ask(config);
  if (!asked) throw new Error('The graph waits for nobody.');
  const open = [...asked.open.values()].flat();
  const run = saver.runOf(config);
  const decisions =
    open.length > 0 ? await saver.api.runners.decisions(run, signal && { signal }) : new Map<string, CallDecision>();
  // Each answer goes with its interrupt's id: without one, LangGraph would give the value to every task of the step, even to those that
  // asked nothing. Only a single interrupt without an id is answered that way.
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
  // For a value other than an object, the call only has its text.
  return decided.isEdited ? decided : { ...decided, args: question.args };
}
