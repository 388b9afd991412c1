import { ERROR, INTERRUPT, RESUME, type CheckpointPendingWrite } from '@langchain/langgraph-checkpoint';
import type { CallDecision, CallQuestion, Question } from '@waystation/client';
import { askedActions } from './action-requests.js';

/** An interrupt that people are asked about. */
export interface OpenInterrupt {
  /** LangGraph's own id, which is also that of its questions; undefined in a graph that gives none by which LangGraph takes answers. */
  interruptId: string | undefined;
  /** One for each tool call that it names in LangChain's words, else one with all of its value. */
  questions: readonly Question[];
  /**
   * What the interrupt is to return.
   * @param decisions in the order of the questions
   * @param toResume what an interrupt of no such words returns
   */
  answer(decisions: readonly CallDecision[], toResume: (decision: CallDecision) => unknown): unknown;
}

/** The interrupts of a checkpoint whose tasks have not finished. */
export interface AskedInterrupts {
  /** Those without an answer, by their tasks. */
  open: ReadonlyMap<string, readonly OpenInterrupt[]>;
  /** The answers to the others, by their ids: LangGraph does not give them again once its process has ended. */
  answers: ReadonlyMap<string, unknown>;
}

/** A task that wrote nothing else has not finished. */
const UNFINISHED = new Set([ERROR, '__error_source_node__', INTERRUPT, RESUME]);

/** LangGraph takes answers by such ids alone. */
const INTERRUPT_ID = /^[0-9a-f]{32}$/;

/**
 * The interrupts that a task has written.
 * @param node that is to run next: an interrupt that names no action is shown by it
 */
export function interruptsIn(taskId: string, value: unknown, node: string | undefined): OpenInterrupt[] {
  return (value as { id?: string; value?: unknown; response_schema?: unknown }[]).map((interrupt, at) => {
    const { id = `${taskId}-${at}`, value: asked, response_schema: schema } = interrupt;
    const actions = askedActions(asked, schema, id);
    return { interruptId: INTERRUPT_ID.test(id) ? id : undefined, ...(actions ?? questionAbout(asked, id, node)) };
  });
}

/** All questions of the interrupts, in their order. */
export function questionsIn(interrupts: readonly OpenInterrupt[]): Question[] {
  return interrupts.flatMap(({ questions }) => questions);
}

function questionAbout(
  value: unknown,
  id: string,
  node: string | undefined,
): Pick<OpenInterrupt, 'questions' | 'answer'> {
  const questions = callQuestionsIn(value);
  const name = actionIn(value) ?? node ?? 'interrupt';
  return {
    questions: [{ id, name, args: value, allows: ['edit_args', 'per_call'], ...(questions && { questions }) }],
    answer: ([decision], toResume) => toResume(decision!),
  };
}

/** The questions to people that the value of an interrupt has in the words of Waystation; null where it has none. */
function callQuestionsIn(value: unknown): CallQuestion[] | null {
  const { questions } = Object(value) as Record<string, unknown>;
  const isAsked = (one: unknown) => typeof (Object(one) as Record<string, unknown>)['text'] === 'string';
  return Array.isArray(questions) && questions.length > 0 && questions.every(isAsked) ? questions : null;
}

/** The action that the value of an interrupt names, in the words of LangGraph's templates. */
function actionIn(value: unknown): string | undefined {
  const { action_request: request, action, tool } = Object(value) as Record<string, unknown>;
  const named = [(Object(request) as Record<string, unknown>)['action'], action, tool];
  return named.find((name): name is string => typeof name === 'string' && name !== '');
}

/** Null where no task was interrupted. */
export function askedIn(writes: readonly CheckpointPendingWrite[], node: string | undefined): AskedInterrupts | null {
  const interrupted = writes.filter(([, channel]) => channel === INTERRUPT);
  if (interrupted.length === 0) return null;
  const finished = new Set(writes.flatMap(([task, channel]) => (UNFINISHED.has(channel) ? [] : task)));
  const open = new Map<string, readonly OpenInterrupt[]>();
  const answers = new Map<string, unknown>();
  for (const [task, , value] of interrupted) {
    if (finished.has(task)) continue;
    const found = interruptsIn(task, value, node).filter(({ interruptId }) => {
      // An answer is written in the name of the interrupt.
      const answer = writes.find(([name, channel]) => name === interruptId && channel === RESUME);
      if (answer) answers.set(answer[0], (answer[2] as unknown[]).at(-1));
      return !answer;
    });
    if (found.length > 0) open.set(task, found);
  }
  return { open, answers };
}
