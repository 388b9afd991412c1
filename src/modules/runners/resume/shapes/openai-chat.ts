import type { CallOutcome, CalledTool } from '../call-outcomes.js';
import {
  elementsOf,
  isBlank,
  isNull,
  isText,
  membersOf,
  nameOf,
  pick,
  presentOf,
  withMembers,
} from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import type { Fit, HistoryShape, Message } from './history-shape.js';
import { readToolMessages, repairToolMessages, type ListedCall, type ToolMessageShape } from './tool-messages.js';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
/** Members that only other APIs' and frameworks' messages have. */
const FOREIGN_MEMBERS = ['parts', 'toolInvocations', 'lc', 'kwargs', 'kind'];
/** Types of parts that only others have: those of tools, and those of the AI SDK. */
const FOREIGN_PART =
  /tool|function|-|^(?:input|output|summary)_(?!audio)|^(?:image|document|reasoning|redacted_thinking)$/;

/** Required by Moonshot, DeepSeek, Mistral and similar: OpenAI itself accepts an empty text. */
const SAYS_NOTHING = 'A message of the model needs a content or tool calls.';

const SHAPE: ToolMessageShape = {
  answerOf: (message) => (nameOf(message.get('role')) === 'tool' ? { id: resultId(message) } : null),
  callsOf,
  resultBeside: () => resultMessage,
};

/**
 * OpenAI's chat completions and compatible APIs: a message with `tool_calls` must be followed at once by one `tool` message for each, in
 * any order, and no other `tool` messages are allowed (https://platform.openai.com/docs/guides/function-calling, and API errors such as
 * "Invalid 'messages[1].tool_calls': empty array").
 */
export const OPENAI_CHAT: HistoryShape = {
  fit,
  indexCalls: (history) =>
    readToolMessages(
      SHAPE,
      history.map((bytes, at) => ({ at, bytes })),
    ).toolCalls,
  tidy: (history, draft) => history.flatMap((message) => tidied(message, draft)),
  repair: (history, draft) => repairToolMessages(SHAPE, history, draft),
  note: spokenMessage,
};

/** A user message, which most APIs write like this. */
export function spokenMessage(text: string): Buffer {
  return Buffer.from(JSON.stringify({ role: 'user', content: text }));
}

function fit(message: Message): Fit {
  const role = nameOf(message.get('role'));
  if (role === null || !ROLES.has(role) || FOREIGN_MEMBERS.some((name) => message.has(name))) return 'none';
  if (role === 'tool') return resultId(message) !== null && hasOwnContent(message) ? 'own' : 'none';
  if (!hasOwnContent(message)) return 'none';
  if (role !== 'assistant') return role === 'function' ? 'own' : 'shared';
  const calls = message.get('tool_calls');
  if (presentOf(message, 'function_call', 'refusal')) return 'own';
  if (calls === undefined || isNull(calls)) return presentOf(message, 'content') ? 'shared' : 'own';
  const elements = elementsOf(calls);
  return elements?.every(isCall) ? 'own' : 'none';
}

function hasOwnContent(message: Message): boolean {
  const content = presentOf(message, 'content');
  if (content === undefined || isText(content)) return true;
  const parts = elementsOf(content);
  if (!parts) return false;
  return parts.every((part) => isText(part) || isOwnPart(nameOf(membersOf(part).get('type'))));
}

function isOwnPart(type: string | null): boolean {
  return type !== null && !FOREIGN_PART.test(type);
}

/** Some similar APIs have calls without ids that are answered by order; these are not supported. */
function isCall(call: Buffer): boolean {
  const [id, ...tools] = pick(call, CALL);
  return nameOf(id) !== null && tools.some((tool) => tool !== undefined);
}

const CALL = ['id', 'function', 'custom'];
const TOOL = ['name', 'arguments', 'input'];

/** Some programs write a list of one id. */
function resultId(message: Message): string | null {
  return nameOf(message.get('tool_call_id')) ?? nameOf(elementsOf(message.get('tool_call_ids'))?.[0]);
}

function callsOf(message: Message): ListedCall[] {
  const list = message.get('tool_calls');
  return (elementsOf(list) ?? []).map((bytes) => {
    const [id, ofFunction, custom] = pick(bytes, CALL);
    const [name, args, input] = pick(ofFunction ?? custom, TOOL);
    return { id: nameOf(id), name: nameOf(name), args: args ?? input ?? null, bytes, list: list! };
  });
}

function tidied({ at, bytes }: DraftMessage, draft: HistoryDraft): DraftMessage[] {
  const message = membersOf(bytes);
  if (nameOf(message.get('role')) !== 'assistant') return [{ at, bytes }];
  const calls = elementsOf(message.get('tool_calls'));
  if ((calls?.length ?? 0) === 0 && saysNothing(message)) {
    draft.noteRepair(at, 'removed_message', null, SAYS_NOTHING);
    return [];
  }
  const changes: Record<string, Buffer | null> = {};
  if (calls?.length === 0) {
    changes.tool_calls = null;
    draft.noteRepair(at, 'removed_empty', null, 'A list of tool calls must not be empty.');
  }
  if (elementsOf(message.get('content'))?.length === 0) {
    changes.content = Buffer.from('null');
    draft.noteRepair(at, 'removed_empty', null, 'A list of parts must not be empty.');
  }
  return [{ at, bytes: Object.keys(changes).length === 0 ? bytes : withMembers(bytes, changes) }];
}

function saysNothing(message: Message): boolean {
  if (presentOf(message, 'function_call', 'refusal', 'audio')) return false;
  const content = presentOf(message, 'content');
  if (content === undefined || isBlank(content)) return true;
  return (elementsOf(content) ?? [content]).every((part) => isBlank(part) || isEmptyPart(membersOf(part)));
}

function isEmptyPart(part: Message): boolean {
  return nameOf(part.get('type')) === 'text' && isBlank(part.get('text'));
}

function resultMessage({ id }: CalledTool, { text }: CallOutcome): Buffer {
  return Buffer.from(JSON.stringify({ role: 'tool', tool_call_id: id, content: text }));
}
