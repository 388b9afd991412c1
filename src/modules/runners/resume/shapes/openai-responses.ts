import { ToolCallIndex, type IndexedCall } from '../tool-call-index.js';
import { MARK, type CallOutcome } from '../call-outcomes.js';
import { elementsOf, isText, membersOf, nameOf, presentOf } from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import type { Fit, HistoryShape, Message } from './history-shape.js';
import { ANSWER_TYPES, ANSWERS } from './openai-tool-outputs.js';
import { spokenMessage } from './openai-chat.js';

interface Item extends DraftMessage {
  members: Message;
  type: string;
}

const ROLES = new Set(['system', 'developer', 'user', 'assistant']);
const PART = /^(?:(?:input|output)_(?:text|image|file|audio)|text|refusal|summary_text|reasoning_text)$/;
/** Items that neither call nor answer. */
const SILENT = new Set(['reasoning', 'item_reference', 'compaction', 'mcp_list_tools', 'tool_search_output']);

/**
 * OpenAI's Responses API: every call that the client answers must have its answer after it, and no other answers are allowed. A reasoning
 * item directly precedes the item it led to (https://platform.openai.com/docs/guides/function-calling, .../guides/reasoning, and API
 * errors).
 */
export const OPENAI_RESPONSES: HistoryShape = {
  fit,
  indexCalls: (history) => indexCalls(history.map((bytes, at) => read({ at, bytes }))),
  repair,
  note: spokenMessage,
};

function fit(item: Message): Fit {
  const type = nameOf(item.get('type'));
  if (item.has('role')) return (type ?? 'message') === 'message' && isSpoken(item) ? 'shared' : 'none';
  if (type === null || type === 'tool_call') return 'none';
  return isOfModel(type) || ANSWER_TYPES.has(type) || SILENT.has(type) ? 'own' : 'none';
}

function isSpoken(message: Message): boolean {
  if (!ROLES.has(nameOf(message.get('role')) ?? '') || presentOf(message, 'tool_calls', 'parts')) return false;
  const content = message.get('content');
  if (isText(content)) return true;
  return elementsOf(content)?.every((part) => PART.test(nameOf(membersOf(part).get('type')) ?? '')) ?? false;
}

function repair(history: readonly DraftMessage[], draft: HistoryDraft): void {
  const items = history.map(read);
  const toolCalls = indexCalls(items);
  draft.register(toolCalls.calls);
  const answers = new Map(toolCalls.results.map((result) => [result.at, result]));
  const open = new Map(toolCalls.calls.filter((call) => !call.result).map((call) => [call.at, call]));
  // The call of an answer may be stored by the API.
  const hasReferences = items.some(({ type }) => type === 'item_reference');
  const kept: Item[] = [];
  let due: IndexedCall[] = [];
  for (const item of items) {
    const answer = answers.get(item.at);
    const call = open.get(item.at);
    if (due.length > 0 && !mayWait(item)) {
      for (const one of due) kept.push(written(one, items, draft));
      due = [];
    }
    if (call) due.push(call);
    if (answer && !answer.call && !(hasReferences && !answer.isDuplicate)) draft.noteRemovedResult(answer);
    else if (answer?.call)
      kept.push({ ...item, bytes: draft.refreshResult(answer, (known) => answerTo(answer.call!, items, known)) });
    else if (!call || ANSWERS[item.type]!.write) kept.push(item);
    else draft.noteRepair(item.at, 'removed_call', call.id, 'Only a picture of the screen could answer it.');
  }
  for (const one of due) kept.push(written(one, items, draft));
  for (const { at, bytes } of withoutLooseReasoning(kept, draft)) draft.push(at, bytes);
}

function read({ at, bytes }: DraftMessage): Item {
  const members = membersOf(bytes);
  const type = nameOf(members.get('type')) ?? (members.has('role') ? 'message' : '');
  return { at, bytes, members, type };
}

function indexCalls(items: readonly Item[]): ToolCallIndex {
  const toolCalls = new ToolCallIndex();
  for (const { at, bytes, members, type } of items) {
    const call = ANSWERS[type];
    const id =
      nameOf(members.get('call_id')) ?? nameOf(members.get('approval_request_id')) ?? nameOf(members.get('id'));
    if (ANSWER_TYPES.has(type)) toolCalls.addResult({ at, part: 0, bytes, id, name: null });
    else if (call && id !== null && call.isAnswered(members)) {
      const args = ['arguments', 'input', 'action', 'operation'].map((name) => members.get(name)).find(Boolean) ?? null;
      toolCalls.addCall({ at, part: 0, id, name: nameOf(members.get('name')) ?? type, args });
    }
  }
  return toolCalls;
}

/** Answers come after all calls of a response, and none between reasoning and what it led to. */
function mayWait({ type }: Item): boolean {
  return ANSWER_TYPES.has(type) || (isOfModel(type) && type !== 'reasoning');
}

function isOfModel(type: string): boolean {
  return type === 'reasoning' || type === 'mcp_approval_request' || type.endsWith('_call');
}

function written(call: IndexedCall, items: readonly Item[], draft: HistoryDraft): Item {
  const bytes = draft.insertResult(call.at, call, (outcome) => answerTo(call, items, outcome));
  return read({ at: call.at, bytes });
}

/** If an answer cannot be made up, a message says what became of the call. */
function answerTo(call: IndexedCall, items: readonly Item[], outcome: CallOutcome): Buffer {
  const { type, idMember, write } = ANSWERS[items[call.at]!.type]!;
  if (!write) return spokenMessage(`${MARK}A call of ${call.name}: ${outcome.text.replace(MARK, '')}`);
  return Buffer.from(JSON.stringify({ type, [idMember]: call.id, ...write(outcome) }));
}

function withoutLooseReasoning(items: readonly Item[], draft: HistoryDraft): Item[] {
  const kept: Item[] = [];
  for (const item of items.toReversed()) {
    if (item.type !== 'reasoning' || isLedTo(kept.at(-1))) kept.push(item);
    else draft.noteRepair(item.at, 'removed_reasoning', null, 'The item that it led to is missing.');
  }
  return kept.toReversed();
}

function isLedTo(item: Item | undefined): boolean {
  if (!item || ANSWER_TYPES.has(item.type)) return false;
  return item.type !== 'message' || nameOf(item.members.get('role')) === 'assistant';
}
