import { elementsOf, isNull, isText, membersOf, nameOf, presentOf } from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import { BlockHistory } from './block-history.js';
import { repairBlocks } from './block-repair.js';
import type { Block, BlockShape } from './block-shape.js';
import { EMPTY_TEXT, tidyBlocks, userMessage, type Refusal } from './block-tidy.js';
import type { Fit, HistoryShape, Message } from './history-shape.js';

const ROLES = new Set(['user', 'model', 'function', 'tool']);
const PLAIN_ROLES = new Set(['system', 'user']);
/** The members of a part in camel case: https://ai.google.dev/api/caching#Part. */
const PART = new Set([
  ...['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse'],
  ...[
    'executableCode',
    'codeExecutionResult',
    'toolCall',
    'toolResponse',
    'videoMetadata',
    'mediaResolution',
    'partMetadata',
  ],
]);
/** A part has one of these. */
const DATA = [
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];

const SNAKE_CASE = Buffer.from('"function_call"');

/** Begins a history that was trimmed in the middle of a turn. */
const BEGINNING = 'What was said before is not part of this history.';

/**
 * The Gemini API; its Python library writes names in snake case, and null for absent members. The content after function calls has one
 * function response per call, with its name, and its id if it has one (https://ai.google.dev/gemini-api/docs/function-calling).
 */
function shapeFor(history: readonly DraftMessage[]): BlockShape {
  const isSnakeCase = history.some(({ bytes }) => bytes.includes(SNAKE_CASE));
  const response = isSnakeCase ? 'function_response' : 'functionResponse';
  return {
    list: 'parts',
    modelRole: 'model',
    resultRole: 'user',
    isTurnwise: true,
    isOrdered: false,
    isNamed: true,

    read(part): Block {
      const members = membersOf(part);
      const call = presentOf(members, 'functionCall', 'function_call');
      if (call !== undefined) return { kind: 'call', ...headOf(call), args: membersOf(call).get('args') ?? null };
      const answer = presentOf(members, 'functionResponse', 'function_response');
      if (answer !== undefined) return { kind: 'result', ...headOf(answer) };
      return { kind: presentOf(members, 'text') ? 'text' : 'other' };
    },

    // The API documents the keys `output` and `error` for results that are not objects.
    result({ id, name }, { json, isError }) {
      const head = `${id === null ? '' : `"id":${JSON.stringify(id)},`}"name":${JSON.stringify(name ?? '')}`;
      return Buffer.from(`{"${response}":{${head},"response":{"${isError ? 'error' : 'output'}":${json}}}}`);
    },

    text: (text) => Buffer.from(JSON.stringify({ text })),
  };
}

/**
 * "Unable to submit request because it has an empty text parameter", "required oneof field 'data' must have one initialized field". An
 * empty text may carry a thought's signature.
 */
const refusalOf: Refusal = (part) => {
  const members = membersOf(part);
  if (presentOf(members, ...DATA.flatMap(bothCases), ...bothCases('thoughtSignature'))) return null;
  const text = presentOf(members, 'text');
  return text === undefined || text.length === '""'.length ? EMPTY_TEXT : null;
};

export const GEMINI: HistoryShape = {
  fit,
  indexCalls: (history) => {
    const messages = history.map((bytes, at) => ({ at, bytes }));
    return new BlockHistory(shapeFor(messages), messages).toolCalls;
  },
  tidy: (history, draft) => tidyBlocks(shapeFor(history), refusalOf, history, draft),
  repair: (history, draft) => repairBlocks(shapeFor(history), history, draft),
  note: (text) => userMessage(shapeFor([]), text),
  finish,
};

function fit(message: Message): Fit {
  const role = message.get('role');
  // Agents that use several APIs keep user messages in one format for all.
  if (isText(message.get('content')) && PLAIN_ROLES.has(nameOf(role) ?? '') && message.size === 2) return 'shared';
  if (message.has('content') || message.has('kind') || message.has('type') || message.has('id')) return 'none';
  if (role !== undefined && !isNull(role) && !ROLES.has(nameOf(role) ?? '')) return 'none';
  const parts = presentOf(message, 'parts');
  // The content of a blocked or interrupted answer has no parts.
  if (parts === undefined) return nameOf(role) === 'model' ? 'shared' : 'none';
  const elements = elementsOf(parts);
  return elements?.every(isPart) ? 'own' : 'none';
}

function isPart(part: Buffer): boolean {
  const members = membersOf(part);
  const text = presentOf(members, 'text');
  return (
    part[0] === OBJECT &&
    (text === undefined || isText(text)) &&
    [...members.keys()].every((name) => PART.has(camelCase(name)))
  );
}

const OBJECT = '{'.charCodeAt(0);

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function bothCases(name: string): string[] {
  return [name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function headOf(call: Buffer): { id: string | null; name: string | null } {
  const members = membersOf(call);
  return { id: nameOf(members.get('id')), name: nameOf(members.get('name')) };
}

/** "Please ensure that function call turn comes immediately after a user turn or after a function response turn." */
function finish(draft: HistoryDraft): void {
  const shape = shapeFor([]);
  for (const { at, bytes } of draft.messages) {
    const members = membersOf(bytes);
    if (nameOf(members.get('role')) !== shape.modelRole) return;
    if (!elementsOf(members.get('parts'))?.some((part) => shape.read(part).kind === 'call')) continue;
    draft.messages.unshift({ at: draft.messages[0]!.at, bytes: userMessage(shape, BEGINNING) });
    draft.noteRepair(at, 'inserted_message', null, 'The provider accepts no call before the user has said anything.');
    return;
  }
}
