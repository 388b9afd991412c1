import { elementsOf, isText, membersOf, nameOf } from '../../../../common/exact-values.js';
import type { DraftMessage } from '../history-draft.js';
import { BlockHistory } from './block-history.js';
import { repairBlocks } from './block-repair.js';
import type { Block, BlockShape } from './block-shape.js';
import type { Fit, HistoryShape, Message } from './history-shape.js';
import { spokenMessage } from './openai-chat.js';

/** The part types of a message by role; an empty set for text only. */
const PARTS: Readonly<Record<string, ReadonlySet<string>>> = {
  system: new Set(),
  user: new Set(['text', 'image', 'file']),
  assistant: new Set([
    ...['text', 'file', 'reasoning', 'redacted-reasoning', 'reasoning-file', 'custom'],
    ...['tool-call', 'tool-result', 'tool-approval-request'],
  ]),
  tool: new Set(['tool-result', 'tool-approval-response']),
};
const FOREIGN_MEMBERS = [
  'parts',
  'tool_calls',
  'function_call',
  'tool_call_id',
  'toolInvocations',
  'lc',
  'kwargs',
  'kind',
];

const HOSTED = Buffer.from('"providerExecuted"');
const OLD_CALL = Buffer.from('"args"');

/**
 * The AI SDK's model messages. The model's calls are answered by parts of the `tool` message after it (MissingToolResultsError); calls of
 * provider-run tools have their results in the model's message (https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message).
 */
function shapeFor(history: readonly DraftMessage[]): BlockShape {
  const { hostedIds, isOld } = traitsOf(history);
  return {
    list: 'content',
    modelRole: 'assistant',
    resultRole: 'tool',
    isTurnwise: false,
    isOrdered: false,
    isNamed: false,

    read(part): Block {
      const members = membersOf(part);
      const type = nameOf(members.get('type'));
      const id = nameOf(members.get('toolCallId'));
      const name = nameOf(members.get('toolName'));
      const isHosted = id !== null && hostedIds.has(id);
      if (type === 'tool-call') {
        const args = members.get('input') ?? members.get('args') ?? null;
        return isHosted ? { kind: 'hosted_call', id, name } : { kind: 'call', id, name, args };
      }
      if (type === 'tool-result') return { kind: isHosted ? 'hosted_result' : 'result', id, name };
      return { kind: type === 'text' ? 'text' : 'other' };
    },

    result({ id, name }, { text, json, isError }) {
      const head = `"type":"tool-result","toolCallId":${JSON.stringify(id)},"toolName":${JSON.stringify(name ?? '')}`;
      // Version 4.
      if (isOld) return Buffer.from(`{${head},"result":${json}${isError ? ',"isError":true' : ''}}`);
      const isOfText = isError || json.startsWith('"');
      const type = isError ? 'error-text' : isOfText ? 'text' : 'json';
      return Buffer.from(`{${head},"output":{"type":"${type}","value":${isOfText ? JSON.stringify(text) : json}}}`);
    },

    text: (text) => Buffer.from(JSON.stringify({ type: 'text', text })),
  };
}

export const AI_SDK_MODEL: HistoryShape = {
  fit,
  indexCalls: (history) => {
    const messages = history.map((bytes, at) => ({ at, bytes }));
    return new BlockHistory(shapeFor(messages), messages).toolCalls;
  },
  repair: (history, draft) => repairBlocks(shapeFor(history), history, draft),
  note: spokenMessage,
};

function fit(message: Message): Fit {
  const role = nameOf(message.get('role')) ?? '';
  const types = Object.hasOwn(PARTS, role) ? PARTS[role]! : null;
  if (!types || FOREIGN_MEMBERS.some((name) => message.has(name))) return 'none';
  const content = message.get('content');
  if (isText(content)) return role === 'tool' ? 'none' : 'shared';
  const parts = elementsOf(content)?.map(membersOf);
  if (!parts?.every((part) => isPart(part, types))) return 'none';
  return role === 'tool' || parts.some((part) => nameOf(part.get('type')) !== 'text') ? 'own' : 'shared';
}

function isPart(part: Message, types: ReadonlySet<string>): boolean {
  const type = nameOf(part.get('type'));
  if (type === null || !types.has(type)) return false;
  if (type === 'text' || type === 'reasoning') return isText(part.get('text'));
  if (type === 'image') return part.has('image');
  if (type === 'file') return part.has('data');
  if (type === 'tool-call') return nameOf(part.get('toolCallId')) !== null && nameOf(part.get('toolName')) !== null;
  return type !== 'tool-result' || nameOf(part.get('toolCallId')) !== null;
}

/** The calls that the provider answers itself, and whether version 4 of the SDK wrote the history. */
function traitsOf(history: readonly DraftMessage[]): { hostedIds: ReadonlySet<string | null>; isOld: boolean } {
  const hostedIds = new Set<string | null>();
  let isOld = false;
  for (const { bytes } of history) {
    if (!bytes.includes(HOSTED) && !bytes.includes(OLD_CALL)) continue;
    for (const part of (elementsOf(membersOf(bytes).get('content')) ?? []).map(membersOf)) {
      if (nameOf(part.get('type')) !== 'tool-call') continue;
      if (part.get('providerExecuted')?.toString() === 'true') hostedIds.add(nameOf(part.get('toolCallId')));
      isOld ||= part.has('args') && !part.has('input');
    }
  }
  return { hostedIds, isOld };
}
