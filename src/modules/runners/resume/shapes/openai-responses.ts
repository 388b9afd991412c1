import { CallBook, type BookedCall } from '../call-book.js';
import { MARK, type CallOutcome, type CallOutcomes } from '../call-outcomes.js';
import { membersOf, nameOf } from '../exact-values.js';
import { HistoryDraft } from '../history-draft.js';
import type { RepairedHistory } from '../repair.js';
import { ANSWER_TYPES, ANSWERS } from './openai-answers.js';
import { spokenMessage } from './openai-chat.js';

interface Item {
  at: number;
  bytes: Buffer;
  members: ReadonlyMap<string, Buffer>;
  type: string;
}

/** Whether only OpenAI's Responses API has such an item. */
export function isOpenAiResponses(item: ReadonlyMap<string, Buffer>): boolean {
  const type = nameOf(item.get('type')) ?? '';
  if (item.has('role')) return false;
  return isOfModel(type) || ANSWER_TYPES.has(type) || type === 'item_reference';
}

/**
 * Every call that the client answers needs its answer behind it, and there are no other answers. A reasoning item stands directly before the
 * item that it led to (https://platform.openai.com/docs/guides/function-calling, .../guides/reasoning, and the errors of the API).
 */
export function repairOpenAiResponses(history: readonly Buffer[], outcomes: CallOutcomes): RepairedHistory {
  const items = history.map(read);
  const book = bookOf(items);
  for (const call of book.calls) outcomes.see(call);
  const draft = new HistoryDraft(outcomes);
  const answers = new Map(book.results.map((result) => [result.at, result]));
  const open = new Map(book.calls.filter((call) => !call.answer).map((call) => [call.at, call]));
  // The call that an answer belongs to may be one that the API has stored.
  const hasReferences = items.some(({ type }) => type === 'item_reference');
  const kept: Item[] = [];
  let due: BookedCall[] = [];
  for (const item of items) {
    const answer = answers.get(item.at);
    const call = open.get(item.at);
    if (due.length > 0 && !mayWait(item)) {
      for (const one of due) kept.push(written(one, items, draft));
      due = [];
    }
    if (call) due.push(call);
    if (answer && !answer.call && !(hasReferences && !answer.isSecond)) draft.tellRemoved(answer);
    else if (answer?.call)
      kept.push({ ...item, bytes: draft.renew(answer, (known) => answerTo(answer.call!, items, known)) });
    else if (!call || ANSWERS[item.type]!.write) kept.push(item);
    else draft.tell(item.at, 'removed_call', call.id, 'Only a picture of the screen could answer it.');
  }
  for (const one of due) kept.push(written(one, items, draft));
  for (const { bytes } of withoutLooseReasoning(kept, draft)) draft.messages.push(bytes);
  return draft.repaired();
}

function read(bytes: Buffer, at: number): Item {
  const members = membersOf(bytes);
  const type = nameOf(members.get('type')) ?? (members.has('role') ? 'message' : '');
  return { at, bytes, members, type };
}

export function bookOfOpenAiResponses(history: readonly Buffer[]): CallBook {
  return bookOf(history.map(read));
}

function bookOf(items: readonly Item[]): CallBook {
  const book = new CallBook();
  for (const { at, bytes, members, type } of items) {
    const call = ANSWERS[type];
    const id =
      nameOf(members.get('call_id')) ?? nameOf(members.get('approval_request_id')) ?? nameOf(members.get('id'));
    if (ANSWER_TYPES.has(type)) book.result({ at, part: 0, bytes, id, name: null });
    else if (call && id !== null && call.isAnswered(members)) {
      const args = ['arguments', 'input', 'action', 'operation'].map((name) => members.get(name)).find(Boolean) ?? null;
      book.call({ at, part: 0, id, name: nameOf(members.get('name')) ?? type, args });
    }
  }
  return book;
}

/** Answers come behind all calls of a response, and none between reasoning and what it led to. */
function mayWait({ type }: Item): boolean {
  return ANSWER_TYPES.has(type) || (isOfModel(type) && type !== 'reasoning');
}

function isOfModel(type: string): boolean {
  return type === 'reasoning' || type === 'mcp_approval_request' || type.endsWith('_call');
}

function written(call: BookedCall, items: readonly Item[], draft: HistoryDraft): Item {
  return read(
    draft.insert(call.at, call, (outcome) => answerTo(call, items, outcome)),
    call.at,
  );
}

/** Where an answer cannot be made up, a message says what became of the call. */
function answerTo(call: BookedCall, items: readonly Item[], outcome: CallOutcome): Buffer {
  const { type, idMember, write } = ANSWERS[items[call.at]!.type]!;
  if (!write) return spokenMessage(`${MARK}A call of ${call.name}: ${outcome.text.replace(MARK, '')}`);
  return Buffer.from(JSON.stringify({ type, [idMember]: call.id, ...write(outcome) }));
}

function withoutLooseReasoning(items: readonly Item[], draft: HistoryDraft): Item[] {
  const kept: Item[] = [];
  for (const item of items.toReversed()) {
    if (item.type !== 'reasoning' || isLedTo(kept.at(-1))) kept.push(item);
    else draft.tell(item.at, 'removed_reasoning', null, 'The item that it led to is missing.');
  }
  return kept.toReversed();
}

function isLedTo(item: Item | undefined): boolean {
  if (!item || ANSWER_TYPES.has(item.type)) return false;
  return item.type !== 'message' || nameOf(item.members.get('role')) === 'assistant';
}
