import type { CallOutcome, CalledTool } from '../call-outcomes.js';
import { arrayOf, elementsOf, isBlank, isText, membersOf, nameOf, pick } from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import type { Fit, HistoryShape, Message } from './history-shape.js';
import { readToolMessages, repairToolMessages, type ListedCall, type ToolMessageShape } from './tool-messages.js';

/** Message types by class name. */
const TYPES: Readonly<Record<string, string>> = {
  HumanMessage: 'human',
  AIMessage: 'ai',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  FunctionMessage: 'function',
  ChatMessage: 'chat',
};
const TYPE_NAMES: ReadonlySet<string> = new Set(Object.values(TYPES));

/** The serialisation: of `model_dump()`, of `message_to_dict()`, or of `dumps()` and `toJSON()`. */
type Form = 'flat' | 'data' | 'constructor';

interface LangChainMessage {
  form: Form;
  /** Null if it is not a LangChain message. */
  type: string | null;
  fields: Message;
}

const SHAPE: ToolMessageShape = {
  answerOf: (message) => {
    const { type, fields } = read(message);
    return type === 'tool' ? { id: nameOf(fields.get('tool_call_id')) } : null;
  },
  callsOf,
  resultBeside,
};

/**
 * The messages of LangChain and LangGraph: each call of an `ai` message is answered by a `tool` message after it. LangGraph refuses other
 * histories as INVALID_CHAT_HISTORY, and so do the providers (https://docs.langchain.com/oss/python/langchain/messages). Calls with invalid
 * JSON arguments are also sent to the provider and need an answer.
 */
export const LANGCHAIN: HistoryShape = {
  fit,
  indexCalls: (history) =>
    readToolMessages(
      SHAPE,
      history.map((bytes, at) => ({ at, bytes })),
    ).toolCalls,
  tidy: (history, draft) => history.filter((message) => !isLeftOut(message, draft)),
  repair: (history, draft) => repairToolMessages(SHAPE, history, draft),
  note: (text, last) => writerLike(last, 'HumanMessage')({ content: text }),
};

function fit(message: Message): Fit {
  const { type, fields, form } = read(message);
  if (type === null || (message.has('role') && type !== 'chat')) return 'none';
  if (form !== 'flat' && fields.size === 0) return 'none';
  if (type === 'tool') return nameOf(fields.get('tool_call_id')) === null ? 'none' : 'own';
  const content = fields.get('content');
  if (!isText(content) && !elementsOf(content)) return 'none';
  const calls = elementsOf(fields.get('tool_calls')) ?? [];
  return calls.every((call) => nameOf(pick(call, CALL)[0]) !== null) ? 'own' : 'none';
}

function read(message: Message): LangChainMessage {
  if (message.get('lc') !== undefined) {
    const path = elementsOf(message.get('id')) ?? [];
    const isConstructor = nameOf(message.get('type')) === 'constructor';
    const type = isConstructor ? TYPES[withoutChunk(nameOf(path.at(-1)) ?? '')] : undefined;
    return { form: 'constructor', type: type ?? null, fields: membersOf(message.get('kwargs')) };
  }
  const name = withoutChunk(nameOf(message.get('type')) ?? '');
  const type = TYPES[name] ?? (TYPE_NAMES.has(name) ? name : null);
  const data = message.has('content') ? undefined : message.get('data');
  return { form: data ? 'data' : 'flat', type, fields: data ? membersOf(data) : message };
}

/** Messages from a stream have their own class names. */
function withoutChunk(name: string): string {
  return name.replace(/Chunk$/, '');
}

function callsOf(message: Message): ListedCall[] {
  const { type, fields } = read(message);
  if (type !== 'ai') return [];
  const calls = [...callsIn(fields.get('tool_calls')), ...callsIn(fields.get('invalid_tool_calls'))];
  // LangChain reads OpenAI's calls if it finds none of its own.
  return calls.length > 0 ? calls : callsIn(membersOf(fields.get('additional_kwargs')).get('tool_calls'));
}

const CALL = ['id', 'function'];
const TOOL = ['name', 'args', 'arguments'];

function callsIn(list: Buffer | undefined): ListedCall[] {
  const calls = (elementsOf(list) ?? []).map((bytes) => {
    const [id, ofFunction] = pick(bytes, CALL);
    const [name, args, text] = pick(ofFunction ?? bytes, TOOL);
    return { id: nameOf(id), name: nameOf(name), args: args ?? text ?? null, bytes, list: list! };
  });
  return calls.filter(({ id }) => id !== null);
}

function isLeftOut({ at, bytes }: DraftMessage, draft: HistoryDraft): boolean {
  const message = membersOf(bytes);
  const { type, fields } = read(message);
  if (type !== 'ai' || callsOf(message).length > 0) return false;
  if (membersOf(fields.get('additional_kwargs')).has('function_call')) return false;
  const content = fields.get('content');
  if (!isBlank(content) && elementsOf(content)?.length !== 0) return false;
  draft.noteRepair(at, 'removed_message', null, 'It says nothing and calls nothing, which most providers refuse.');
  return true;
}

function resultBeside(caller: Buffer): (call: CalledTool, outcome: CallOutcome) => Buffer {
  const write = writerLike(caller, 'ToolMessage');
  return ({ id, name }, { text, isError }) => {
    const named = name === null ? {} : { name };
    const status = isError ? { status: 'error' } : {};
    return write({ content: text, tool_call_id: id, ...named, ...status });
  };
}

/** Writes messages in another message's form. */
function writerLike(other: Buffer, className: string): (fields: object) => Buffer {
  const members = membersOf(other);
  const { form, fields: itsFields } = read(members);
  const type = TYPES[className]!;
  if (form === 'flat') return (fields) => Buffer.from(JSON.stringify({ type, ...fields }));
  if (form === 'data') return (fields) => Buffer.from(JSON.stringify({ type, data: { type, ...fields } }));
  const path = (elementsOf(members.get('id')) ?? []).slice(0, -1);
  const id = arrayOf([...path, Buffer.from(JSON.stringify(className))]).toString();
  const named = itsFields.has('type') ? { type } : {};
  return (fields) => {
    const kwargs = JSON.stringify({ ...fields, ...named });
    return Buffer.from(`{"lc":1,"type":"constructor","id":${id},"kwargs":${kwargs}}`);
  };
}
