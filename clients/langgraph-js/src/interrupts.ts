import { ERROR, INTERRUPT, RESUME, type CheckpointPendingWrite } from '@langchain/langgraph-checkpoint';
import type { CallDecision, CallQuestion, Question } from '@waystation/client';
import { askedActions } from './action-requests.js';

/** An interrupt that people are asked about. */
export interface OpenInterrupt {
  /** LangGraph's id, shared by its questions; undefined if the graph's ids cannot be used for answers. */
  interruptId: string | undefined;
  /** One for each of LangChain's tool calls, otherwise one with the whole value. */
  questions: readonly Question[];
  /**
   * The value for the interrupt to return.
   * @param decisions in the order of the questions
   * @param toResume for interrupts that are not LangChain's
   */
  answer(decisions: readonly CallDecision[], toResume: (decision: CallDecision) => unknown): unknown;
}

/** The interrupts of a checkpoint's unfinished tasks. */
export interface AskedInterrupts {
  /** Unanswered ones, by task. */
  open: ReadonlyMap<string, readonly OpenInterrupt[]>;
  /** Answers to the others, by id: after a restart LangGraph does not supply them again. */
  answers: ReadonlyMap<string, unknown>;
}

/** A task is unfinished if it wrote nothing else. */
const UNFINISHED = new Set([ERROR, '__error_source_node__', INTERRUPT, RESUME]);

/** LangGraph accepts answers only for ids of this form. */
const INTERRUPT_ID = /^[0-9a-f]{32}$/;

/**
 * The interrupts that a task has written.
 * @param node the next node, shown for an interrupt that names no action
 */
export function interruptsIn(taskId: string, value: unknown, node: string | undefined): OpenInterrupt[] {
  return (value as { id?: string; value?: unknown; response_schema?: unknown }[]).map((interrupt, at) => {
    const { id = `${taskId}-${at}`, value: asked, response_schema: schema } = interrupt;
    const actions = askedActions(asked, schema, id);
    return { interruptId: INTERRUPT_ID.test(id) ? id : undefined, ...(actions ?? questionAbout(asked, id, node)) };
  });
}

/** All questions of the interrupts, in order. */
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

/** The questions in an interrupt's value if it has Waystation's format; otherwise null. */
function callQuestionsIn(value: unknown): CallQuestion[] | null {
  const { questions } = Object(value) as Record<string, unknown>;
  const isAsked = (one: unknown) => typeof (Object(one) as Record<string, unknown>)['text'] === 'string';
  return Array.isArray(questions) && questions.length > 0 && questions.every(isAsked) ? questions : null;
}

/** The action named in an interrupt's value, as in LangGraph's templates. */
function actionIn(value: unknown): string | undefined {
  const { action_request: request, action, tool } = Object(value) as Record<string, unknown>;
  const named = [(Object(request) as Record<string, unknown>)['action'], action, tool];
  return named.find((name): name is string => typeof name === 'string' && name !== '');
}

/** Null if no task was interrupted. */
export function askedIn(writes: readonly CheckpointPendingWrite[], node: string | undefined): AskedInterrupts | null {
  const interrupted = writes.filter(([, channel]) => channel === INTERRUPT);
  if (interrupted.length === 0) return null;
  const finished = new Set(writes.flatMap(([task, channel]) => (UNFINISHED.has(channel) ? [] : task)));
  const open = new Map<string, readonly OpenInterrupt[]>();
  const answers = new Map<string, unknown>();
  for (const [task, , value] of interrupted) {
    if (finished.has(task)) continue;
    const found = interruptsIn(task, value, node).filter(({ interruptId }) => {
      // An answer is written under the interrupt's id.
      const answer = writes.find(([name, channel]) => name === interruptId && channel === RESUME);
      if (answer) answers.set(answer[0], (answer[2] as unknown[]).at(-1));
      return !answer;
    });
    if (found.length > 0) open.set(task, found);
  }
  return { open, answers };
}
