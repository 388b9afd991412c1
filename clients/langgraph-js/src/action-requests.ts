import type { AllowedDecision, CallDecision, CallQuestion, Question } from '@waystation/client';

/** An interrupt of LangChain's human-in-the-loop middleware, and how to answer it. */
export interface AskedActions {
  /** One per tool call. */
  questions: readonly Question[];
  /** The value that the interrupt returns. @param decisions in the order of the questions */
  answer(decisions: readonly CallDecision[]): object;
}

/** A tool call that waits for a person. */
interface Action {
  name: string;
  args: object;
  description: string | null;
  /** LangChain's names of decisions; null if not specified. */
  allowed: readonly string[] | null;
}

/** The name of the edited call's member in a decision, which depends on the middleware's language. */
type EditedMember = 'editedAction' | 'edited_action';
type Members = Readonly<Record<string, unknown>>;

const RESPOND = 'respond';
/** Possible decisions on a call without questions. */
const OFFERED: readonly AllowedDecision[] = ['approve', 'edit', 'reject'];
const MAX_TEXT = 4_000;

/**
 * All tool calls of a message in one interrupt, or each in its own, as `langchain` asks since 1.5.18, and in Python since 1.4.6.
 * @param schema of the response, as the interrupt describes it
 * @param id of the interrupt
 * @returns null for any other interrupt
 */
export function askedActions(value: unknown, schema: unknown, id: string): AskedActions | null {
  const members = membersOf(value);
  return batchIn(members, id) ?? approvalIn(members, schema, id);
}

function batchIn(members: Members, id: string): AskedActions | null {
  const isPython = members['actionRequests'] === undefined;
  const requests = members[isPython ? 'action_requests' : 'actionRequests'];
  const configs = members[isPython ? 'review_configs' : 'reviewConfigs'];
  if (!Array.isArray(requests) || requests.length === 0) return null;
  const actions = requests.map((request, at) => {
    const config = membersOf(Array.isArray(configs) ? configs[at] : null);
    return actionIn(membersOf(request), config[isPython ? 'allowed_decisions' : 'allowedDecisions']);
  });
  if (!actions.every((one) => one !== null)) return null;
  // Before 1.6.1, LangChain for JavaScript drops approved calls when another one is rejected
  // (https://github.com/langchain-ai/langchainjs/issues/11437).
  const isPerCall = actions.length === 1;
  const edited = isPython ? 'edited_action' : 'editedAction';
  return {
    questions: actions.map((action, part) => ({ ...questionOf(action, id, isPerCall), part })),
    answer: (decisions) => ({ decisions: actions.map((action, at) => decisionOf(action, decisions[at]!, edited)) }),
  };
}

function approvalIn(members: Members, schema: unknown, id: string): AskedActions | null {
  if (members['type'] !== 'tool_approval') return null;
  const action = actionIn(members, decisionsIn(schema));
  if (!action) return null;
  const modelId = members['tool_call_id'];
  const question = questionOf(action, id, true);
  return {
    questions: [typeof modelId === 'string' && modelId !== '' ? { ...question, modelId } : question],
    answer: ([made]) => decisionOf(action, made!, 'edited_action'),
  };
}

function actionIn({ name, args, description }: Members, allowed: unknown): Action | null {
  if (typeof name !== 'string' || typeof args !== 'object' || args === null) return null;
  return {
    ...{ name, args },
    description: typeof description === 'string' ? description : null,
    allowed: Array.isArray(allowed) ? (allowed as string[]) : null,
  };
}

/** The decisions in a JSON schema, which has a branch with a `type` for each. Null if it has none. */
function decisionsIn(schema: unknown): string[] | null {
  const { oneOf, anyOf, $defs } = membersOf(schema);
  const branches = [oneOf, anyOf].find(Array.isArray) ?? [schema];
  const types = branches.map((branch) => {
    const reference = membersOf(branch)['$ref'];
    const named = typeof reference === 'string' ? reference.replace('#/$defs/', '') : null;
    const { properties } = membersOf(named === null ? branch : membersOf($defs)[named]);
    return membersOf(membersOf(properties)['type'])['const'];
  });
  return types.length > 0 && types.every((type) => typeof type === 'string') ? types : null;
}

function questionOf(action: Action, id: string, isPerCall: boolean): Question {
  const { name, args, allowed } = action;
  const asked = { id, name, args, isModelCall: true };
  const whole = isPerCall ? (['per_call'] as const) : [];
  if (mayOnlyRespond(action)) return { ...asked, allows: whole, questions: [callQuestionOf(action)] };
  // Without `reject`, a person may refuse in an answer.
  const isOffered = (one: string) =>
    allowed === null || allowed.includes(one) || (one === 'reject' && allowed.includes(RESPOND));
  const offered = OFFERED.filter(isOffered);
  const edits = offered.includes('edit') ? (['edit_args'] as const) : [];
  return {
    ...{ ...asked, allows: [...whole, ...edits] },
    ...(offered.length < OFFERED.length && { allowedDecisions: offered }),
  };
}

function mayOnlyRespond({ allowed }: Action): boolean {
  return allowed !== null && allowed.length > 0 && allowed.every((one) => one === RESPOND);
}

/** Tools that ask people name the question and its options like this; otherwise the middleware describes the call. */
function callQuestionOf({ name, args, description }: Action): CallQuestion {
  const { question, options } = args as { question?: unknown; options?: unknown };
  const text = [question, description].find(isReadable) ?? name;
  const isChoice = Array.isArray(options) && options.length > 0 && options.length <= 50;
  const labels = isChoice && options.every((one) => isReadable(one) && one.length <= 200);
  return {
    text: text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, ''),
    ...(labels && {
      ...{ free_text: true },
      options: [...new Set(options as string[])].map((label) => ({ label })),
    }),
  };
}

function decisionOf(action: Action, made: CallDecision, edited: EditedMember): object {
  const { approved, reason, args, isEdited, answers } = made;
  if (answers) return { type: RESPOND, message: Object.values(answers).flat().join(', ') };
  // Keeps the call's name: changed arguments of another one would not be checked (https://github.com/langchain-ai/langchain/issues/40166).
  if (approved && isEdited) return { type: 'edit', [edited]: { name: action.name, args } };
  if (approved) return { type: 'approve' };
  if (action.allowed?.includes('reject') === false && action.allowed.includes(RESPOND)) {
    return { type: RESPOND, message: reason ?? 'A person rejected it.' };
  }
  return { type: 'reject', ...(reason !== null && { message: reason }) };
}

/** The server refuses questions that people could not read. */
function isReadable(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '' && !/[\0\p{Surrogate}]/u.test(text);
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}
