import { MAX_QUESTION_CALL_BYTES } from '../../common/contract/questions.js';
import { cutText } from '../../common/cut-text.js';
import { stringifyExact } from '../../common/exact-number.js';
import { objectOf } from '../../common/json-fields.js';

/** What people may do with tool calls besides deciding all of them alike: edit arguments, decide each call, answer questions. */
export type ApprovalFeature = 'edit_args' | 'per_call' | 'answer';

/** What a person may do with a call: `edit` approves it with other arguments, `respond` answers its questions. */
export type AllowedDecision = 'approve' | 'edit' | 'reject' | 'respond';

/** A question that a call asks a person. */
export interface CallQuestion {
  /** Identifies the answer. Default: `q0`, `q1` and so on. */
  id?: string;
  /** Up to 4,000 characters. */
  text: string;
  header?: string;
  /** Up to 50; the answer is `value`, by default the label. */
  options?: readonly { label: string; value?: string; description?: string }[];
  /** Whether several answers may be given. */
  multiple?: boolean;
  /** Whether people may answer in their own words. Default: only if there are no options. */
  free_text?: boolean;
  /** Default: true. */
  required?: boolean;
  /** The answer if nobody gives one in time. */
  default?: string | readonly string[];
}

/** A tool call of the run that a person should decide. */
export interface Question {
  /** Unique in the run, except for questions with parts. */
  id: string;
  /** Name of the tool. */
  name: string;
  args: unknown;
  /** The position among questions that share an id because they are answered together. */
  part?: number;
  /** Whether the model requested the call. If the model's last message has the call, the question takes its id from there. */
  isModelCall?: boolean;
  /** The model's id of the call, if known. Without it, equal calls of a message are told apart only by their order. */
  modelId?: string;
  /** Declared in the checkpoint if all questions of the step allow it. Default: nothing. */
  allows?: readonly ApprovalFeature[];
  /** All decisions that people may make. Default: what its features allow. */
  allowedDecisions?: readonly AllowedDecision[];
  /** The call's questions, 1 to 20: people answer them instead of approving the call. */
  questions?: readonly CallQuestion[];
}

/** Reserved for the call's id, whose length differs between processes. */
const ID_BYTES = 1_024;
/** Characters that people see of arguments that are too long for the server. */
const SHOWN_ARGUMENTS = 4_000;

/** The open questions of a step, by task. */
export type OpenQuestions = ReadonlyMap<string, readonly Question[]>;

/** The ids of the questions' tool calls. @param history of the step, in the shape of OpenAI's chat API */
export function callIdsOf(open: OpenQuestions, history: readonly unknown[]): Map<Question, string> {
  const ids = new Map<Question, string>();
  let ofModel = modelCallsIn(history);
  // Sorted by task name: another process may have received them in another order.
  for (const [, questions] of [...open].sort(([one], [other]) => (one < other ? -1 : 1))) {
    for (const question of questions) {
      const called = question.isModelCall === true ? calledBy(question, ofModel) : undefined;
      // Each call matches only one question, even if the model gave two calls the same id.
      if (called) ofModel = ofModel.filter(({ id }) => id !== called.id);
      ids.set(question, called?.id ?? (question.part === undefined ? question.id : `${question.id}:${question.part}`));
    }
  }
  return ids;
}

/** The members of a checkpoint that ask people. Their order does not depend on the process that asks. */
export function askingMembers(open: OpenQuestions, history: readonly unknown[]) {
  const asked = [...callIdsOf(open, history)].sort(([, one], [, other]) => (one < other ? -1 : 1));
  const features = featuresOf(asked.map(([question]) => question));
  return {
    ...(features.length > 0 && { approval_features: features }),
    pending_tool_calls: asked.map(([question, id]) => askingCall(question, id)),
  };
}

/** People answer questions, which the arguments only illustrate: they are shortened if the server would refuse the call as too long. */
function askingCall({ name, args, questions, allowedDecisions }: Question, id: string) {
  const members = {
    ...(allowedDecisions && { allowed_decisions: allowedDecisions }),
    ...(questions && { questions }),
  };
  const call = toolCall(id, name, args);
  const bytes = () => Buffer.byteLength(stringifyExact({ ...call, id: '', ...members }));
  if (!questions || bytes() <= MAX_QUESTION_CALL_BYTES - ID_BYTES) return { ...call, ...members };
  const { length } = call.function.arguments;
  const shortened = `${cutText(call.function.arguments, SHOWN_ARGUMENTS)} (shortened from ${length} characters)`;
  return { ...toolCall(id, name, shortened), ...members };
}

function featuresOf(asked: readonly Question[]): ApprovalFeature[] {
  const isPerCall = asked.every(({ allows }) => allows?.includes('per_call'));
  const calls = asked.filter(({ questions }) => !questions);
  const isEditable = ({ allows }: Question) => allows?.includes('edit_args') === true;
  // Calls that allow less declare that themselves.
  const isEdited =
    calls.some(isEditable) && calls.every((one) => isEditable(one) || one.allowedDecisions?.includes('edit') === false);
  const isLimited = asked.some(({ allowedDecisions }) => allowedDecisions);
  const isAnswered = calls.length < asked.length || (isLimited && !isPerCall);
  return [
    ...(isEdited ? (['edit_args'] as const) : []),
    ...(isPerCall ? (['per_call'] as const) : []),
    ...(isAnswered ? (['answer'] as const) : []),
  ];
}

/** A tool call in the shape of OpenAI's chat API, for people and models. Arguments in a text that is not JSON stay as they are. */
export function toolCall(id: string | undefined, name: string, args: unknown) {
  return { id, type: 'function', function: { name, arguments: argumentsOf(args) } };
}

function argumentsOf(args: unknown): string {
  return typeof args === 'string' && !isJson(args) ? args : stringifyExact(args ?? null);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface ModelCall {
  id: string;
  name: unknown;
  /** A JSON value. */
  args: unknown;
}

/** The tool calls in the model's last message. */
function modelCallsIn(history: readonly unknown[]): ModelCall[] {
  const calls = history.map(objectOf).findLast((message) => message?.role === 'assistant')?.tool_calls;
  return (Array.isArray(calls) ? calls : []).flatMap((call) => {
    const { id, function: called } = objectOf(call) ?? {};
    const { name, arguments: args } = objectOf(called) ?? {};
    return typeof id === 'string' ? [{ id, name, args }] : [];
  });
}

function calledBy({ name, args, modelId }: Question, calls: readonly ModelCall[]): ModelCall | undefined {
  const text = argumentsOf(args);
  return calls.find((call) => {
    return call.name === name && call.args === text && (modelId === undefined || call.id === modelId);
  });
}
