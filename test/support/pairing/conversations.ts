import * as fc from 'fast-check';
import { anthropicFaults } from './anthropic.js';
import type { JsonObject } from './faults.js';
import { geminiFaults } from './gemini.js';
import { openAiChatFaults } from './openai-chat.js';
import { openAiResponsesFaults } from './openai-responses.js';

export interface SpokenCall {
  id: string;
  name: string;
  args: JsonObject;
  result: string;
}

/** A piece of a conversation: what the user says, or what the model says with its calls and their results. */
export type Piece = { user: string } | { text: string | null; calls: readonly SpokenCall[] };

/** How an API writes conversations, and what it refuses. */
export interface ProviderShape {
  name: string;
  write: (pieces: readonly Piece[]) => JsonObject[];
  faultsOf: (messages: readonly JsonObject[]) => string[];
}

export const PROVIDER_SHAPES: readonly ProviderShape[] = [
  { name: 'OpenAI chat', write: (pieces) => pieces.flatMap(openAiChat), faultsOf: openAiChatFaults },
  { name: 'OpenAI Responses', write: (pieces) => pieces.flatMap(openAiResponses), faultsOf: openAiResponsesFaults },
  { name: 'Anthropic', write: (pieces) => pieces.flatMap(anthropic), faultsOf: anthropicFaults },
  { name: 'Gemini', write: (pieces) => pieces.flatMap((piece) => gemini(piece, false)), faultsOf: geminiFaults },
  {
    name: 'Gemini with ids',
    write: (pieces) => pieces.flatMap((piece) => gemini(piece, true)),
    faultsOf: geminiFaults,
  },
];

const word: fc.Arbitrary<string> = fc.constantFrom('Paris', 'refund', 'four', 'üñï', '"quoted"', 'a\nb');

/** Conversations with up to three calls at once, as a provider accepts them. */
export const conversations: fc.Arbitrary<Piece[]> = fc
  .array(
    fc.oneof(
      word.map((user) => ({ user })),
      round(),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => [{ user: 'Begin' }, ...pieces.map(withIds)]);

function round(): fc.Arbitrary<Piece> {
  const call = fc.record({
    id: fc.constant(''),
    name: fc.constantFrom('refund', 'search', 'book'),
    args: fc.record({ order: fc.nat(3), note: word }),
    result: word,
  });
  return fc.record({ text: fc.option(word, { nil: null }), calls: fc.array(call, { minLength: 1, maxLength: 3 }) });
}

function withIds(piece: Piece, index: number): Piece {
  if ('user' in piece) return piece;
  return { ...piece, calls: piece.calls.map((call, i) => ({ ...call, id: `call_${index}_${i}` })) };
}

function openAiChat(piece: Piece): JsonObject[] {
  if ('user' in piece) return [{ role: 'user', content: piece.user }];
  const tool_calls = piece.calls.map(({ id, name, args }) => {
    return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  });
  const results = piece.calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result }));
  return [{ role: 'assistant', content: piece.text, tool_calls }, ...results, { role: 'assistant', content: 'Done.' }];
}

function openAiResponses(piece: Piece): JsonObject[] {
  if ('user' in piece) return [{ type: 'message', role: 'user', content: piece.user }];
  const calls = piece.calls.map(({ id, name, args }, i) => {
    if (i === 2) return { type: 'custom_tool_call', call_id: id, name, input: JSON.stringify(args) };
    return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(args) };
  });
  const outputs = piece.calls.map(({ id, result }, i) => {
    return { type: i === 2 ? 'custom_tool_call_output' : 'function_call_output', call_id: id, output: result };
  });
  const said = piece.text === null ? [] : [{ type: 'reasoning', id: `rs_${piece.calls[0]!.id}`, summary: [] }];
  const done = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };
  return [...said, ...calls, ...outputs, done];
}

function anthropic(piece: Piece): JsonObject[] {
  if ('user' in piece) return [{ role: 'user', content: piece.user }];
  const said = piece.text === null ? [] : [{ type: 'text', text: piece.text }];
  const calls = piece.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }));
  const results = piece.calls.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result }));
  const searched = [
    { type: 'server_tool_use', id: `srv_${piece.calls[0]!.id}`, name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: `srv_${piece.calls[0]!.id}`, content: [] },
    { type: 'text', text: 'Done.' },
  ];
  return [
    { role: 'assistant', content: [...said, ...calls] },
    { role: 'user', content: piece.text === null ? results : [...results, { type: 'text', text: 'Go on.' }] },
    { role: 'assistant', content: searched },
  ];
}

function gemini(piece: Piece, hasIds: boolean): JsonObject[] {
  if ('user' in piece) return [{ role: 'user', parts: [{ text: piece.user }] }];
  const said = piece.text === null ? [] : [{ text: piece.text, thought: true }];
  const head = ({ id, name }: SpokenCall) => (hasIds ? { id, name } : { name });
  const calls = piece.calls.map((call) => ({ functionCall: { ...head(call), args: call.args } }));
  const responses = piece.calls.map((call) => {
    return { functionResponse: { ...head(call), response: { output: call.result } } };
  });
  return [
    { role: 'model', parts: [...said, ...calls] },
    { role: 'user', parts: responses },
    { role: 'model', parts: [{ text: 'Done.' }] },
  ];
}

/** A fault that a crash, a trimmed history or a careless program leaves in a history. */
export type Breakage =
  | { kind: 'cut' | 'drop' | 'double' | 'swap' | 'behead'; at: number }
  | { kind: 'drop_part' | 'double_part' | 'turn_parts'; at: number; part: number };

export const breakages: fc.Arbitrary<Breakage[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('cut', 'drop', 'double', 'swap', 'behead'), at: fc.nat(40) }),
    fc.record({ kind: fc.constantFrom('drop_part', 'double_part', 'turn_parts'), at: fc.nat(40), part: fc.nat(4) }),
  ),
  { maxLength: 4 },
);

export function broken(messages: readonly JsonObject[], faults: readonly Breakage[]): JsonObject[] {
  return faults.reduce((history, fault) => (history.length > 1 ? withFault(history, fault) : history), [...messages]);
}

function withFault(history: JsonObject[], fault: Breakage): JsonObject[] {
  const at = fault.at % history.length;
  const message = history[at]!;
  switch (fault.kind) {
    case 'cut':
      return history.slice(0, at + 1);
    case 'behead':
      return history.slice(at);
    case 'drop':
      return history.toSpliced(at, 1);
    case 'double':
      return history.toSpliced(at, 0, message);
    case 'swap':
      return history.toSpliced(at, 2, ...history.slice(at, at + 2).toReversed());
    default:
      return history.with(at, withPartFault(message, fault));
  }
}

/** Parts are the blocks of a message, or its calls. */
function withPartFault(message: JsonObject, { kind, part }: Breakage & { part: number }): JsonObject {
  const name = ['tool_calls', 'content', 'parts'].find((member) => Array.isArray(message[member]));
  if (name === undefined) return message;
  const parts = message[name] as unknown[];
  const at = part % parts.length;
  if (kind === 'turn_parts') return { ...message, [name]: parts.toReversed() };
  if (kind === 'double_part') return { ...message, [name]: parts.toSpliced(at, 0, parts[at]) };
  return parts.length === 1 ? message : { ...message, [name]: parts.toSpliced(at, 1) };
}
