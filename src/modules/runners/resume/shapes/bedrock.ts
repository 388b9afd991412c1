import {
  arrayOf,
  elementsOf,
  isBlank,
  isText,
  membersOf,
  nameOf,
  pick,
  withValue,
} from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import { blockMethods } from './block-methods.js';
import type { Block, BlockShape } from './block-shape.js';
import { EMPTY_TEXT, userMessage, type Refusal } from './block-tidy.js';
import type { Fit, HistoryShape, Message } from './history-shape.js';

const ROLES = new Set(['user', 'assistant', 'system']);
/** A block has one of these members: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html. */
const BLOCKS = new Set([
  'text',
  'image',
  'document',
  'video',
  'audio',
  'toolUse',
  'toolResult',
  'guardContent',
  'cachePoint',
  'reasoningContent',
  'citationsContent',
  'searchResult',
]);

/** Begins a history that was trimmed in the middle of a turn. */
const BEGINNING = 'What was said before is not part of this history.';

/**
 * Amazon Bedrock's Converse API. As with Anthropic, the message after tool calls begins with exactly their results ("Expected toolResult
 * blocks at messages.2.content for the following Ids"); roles alternate, and the user begins ("A conversation must start with a user
 * message", "… must alternate between user and assistant roles").
 */
const SHAPE: BlockShape = {
  list: 'content',
  modelRole: 'assistant',
  resultRole: 'user',
  isTurnwise: true,
  isOrdered: true,
  isNamed: false,

  read(block): Block {
    const [call, result, text] = pick(block, ['toolUse', 'toolResult', 'text']);
    const [id, name, input] = pick(call ?? result, ['toolUseId', 'name', 'input']);
    if (call) return { kind: 'call', id: nameOf(id), name: nameOf(name), args: input ?? null };
    if (result) return { kind: 'result', id: nameOf(id), name: null };
    return { kind: text ? 'text' : 'other' };
  },

  result({ id }, { text, json, isError }) {
    const isObject = json.startsWith('{');
    const content = isObject ? `{"json":${json}}` : JSON.stringify({ text: text.trim() === '' ? EMPTY_RESULT : text });
    const status = isError ? ',"status":"error"' : '';
    return Buffer.from(`{"toolResult":{"toolUseId":${JSON.stringify(id)},"content":[${content}]${status}}}`);
  },

  text: (text) => Buffer.from(JSON.stringify({ text })),
};

const EMPTY_RESULT = '(empty)';

/** "The text field in the ContentBlock object at messages.0.content.0 is blank." */
const refusalOf: Refusal = (block) => (isBlank(pick(block, ['text'])[0]) ? EMPTY_TEXT : null);

export const BEDROCK: HistoryShape = {
  fit,
  ...blockMethods(SHAPE, refusalOf),
  finish,
};

function fit(message: Message): Fit {
  if (!ROLES.has(nameOf(message.get('role')) ?? '')) return 'none';
  const blocks = elementsOf(message.get('content'));
  if (!blocks?.every(isBlock)) return 'none';
  return blocks.length > 0 ? 'own' : 'shared';
}

function isBlock(block: Buffer): boolean {
  const members = membersOf(block);
  const [name] = members.keys();
  if (members.size !== 1 || !BLOCKS.has(name!)) return false;
  return name !== 'text' || isText(members.get('text'));
}

/** One message per turn, starting with the user's. */
function finish(draft: HistoryDraft): void {
  const turns: { role: string | null; messages: DraftMessage[] }[] = [];
  for (const message of draft.messages) {
    const role = nameOf(pick(message.bytes, ['role'])[0]);
    const last = turns.at(-1);
    if (last && last.role === role && role !== 'system') last.messages.push(message);
    else turns.push({ role, messages: [message] });
  }
  draft.messages = turns.map(({ messages }) => merged(messages, draft));
  const first = turns.findIndex(({ role }) => role !== 'system');
  if (turns[first]?.role !== SHAPE.modelRole) return;
  const { at } = draft.messages[first]!;
  draft.messages.splice(first, 0, { at, bytes: userMessage(SHAPE, BEGINNING) });
  draft.noteRepair(at, 'inserted_message', null, 'The provider expects a message of the user first.');
}

function merged(messages: readonly DraftMessage[], draft: HistoryDraft): DraftMessage {
  const [first, ...others] = messages;
  if (others.length === 0) return first!;
  const lists = messages.map(({ bytes }) => membersOf(bytes).get('content')!);
  for (const { at } of others)
    draft.noteRepair(at, 'merged_message', null, 'The provider expects one message for each turn.');
  const blocks = lists.flatMap((list) => elementsOf(list) ?? []);
  return { at: first!.at, bytes: withValue(first!.bytes, lists[0]!, arrayOf(blocks)) };
}
