import { ExactNumber } from '../../../src/common/exact-number.js';
import type { LogDraft, ToolCallDraft, ToolResultDraft } from '../../../src/modules/threads/shapes/log-draft.js';
import { picturesIn, type Picture } from './pictures.js';
import { readMessage } from '../../../src/modules/threads/shapes/message-shapes.js';

export type Role = 'user' | 'assistant' | 'system' | 'tool' | 'other';

/** A call of a tool in a conversation. */
export interface ToolCall {
  id?: string;
  name?: string;
  /** As the model wrote them, otherwise compact JSON with exact numbers. */
  args: string;
  /** Absent while there is no result. */
  result?: ToolResult;
}

export interface ToolResult {
  name?: string;
  text: string;
  isError: boolean;
  /** The index of the message that contains it. */
  message: number;
  /** Absent for none. */
  pictures?: readonly Picture[];
}

export type MessagePart =
  | { kind: 'text'; text: string; isRefusal: boolean }
  | { kind: 'thinking'; text: string }
  | { kind: 'call'; call: ToolCall }
  /** A result whose call is not in this conversation. */
  | { kind: 'result'; result: ToolResult }
  | { kind: 'pictures'; pictures: readonly Picture[] }
  /** A message of an unknown shape. */
  | { kind: 'json' };

/** A message for people, whatever API its agent uses. */
export interface Message {
  /** Its place in the history. */
  index: number;
  role: Role;
  /** The speaker's name, if an agent names several. */
  name?: string;
  /** Empty for a message with only tool results, which are shown with their calls. */
  parts: MessagePart[];
  /** As reported. */
  raw: unknown;
}

/**
 * Reads a history: text, thinking, tool calls, and each result with its call, matched by id; a result without an id belongs to the oldest
 * open call of its name in the message before. Knows the same shapes as the server's log. Never throws.
 */
export function readMessages(history: readonly unknown[]): Message[] {
  const calls = new OpenCalls();
  return history.map((raw, index) => {
    const drafts = readMessage(raw);
    if (drafts.some(({ kind }) => kind === 'tool_call')) calls.startTurn();
    const shown = new Pictures(raw, drafts);
    const parts =
      typeof raw === 'string' ? [plain(raw)] : drafts.flatMap((draft) => readPart(draft, index, calls, shown));
    parts.push(...shown.rest());
    return { index, role: roleOf(drafts), ...nameOf(raw), parts, raw };
  });
}

/** The messages that have something of their own to show. */
export function shownMessages(messages: readonly Message[]): Message[] {
  return messages.filter(({ parts }) => parts.length > 0);
}

function readPart(draft: LogDraft, index: number, calls: OpenCalls, shown: Pictures): MessagePart[] {
  switch (draft.kind) {
    case 'tool_call':
      return [{ kind: 'call', call: calls.open(draft) }];
    case 'tool_result': {
      const pictures = shown.of(draft);
      const result: ToolResult = { name: draft.name, text: draft.message, isError: draft.isError, message: index };
      if (pictures.length > 0) result.pictures = pictures;
      return calls.answer(draft, result) ? [] : [{ kind: 'result', result }];
    }
    case 'thinking':
      return [{ kind: 'thinking', text: draft.message }];
    case 'event':
      return [{ kind: 'json' }];
    default:
      return draft.message === '' ? [] : [{ kind: 'text', text: draft.message, isRefusal: draft.level === 'warn' }];
  }
}

function plain(text: string): MessagePart {
  return { kind: 'text', text, isRefusal: false };
}

/** The pictures of a message, assigned to the results that contain them. */
class Pictures {
  private left: readonly Picture[];
  private readonly isOneResult: boolean;

  constructor(raw: unknown, drafts: readonly LogDraft[]) {
    // A message of an unknown shape is shown as JSON anyway.
    this.left = drafts.some(({ kind }) => kind === 'event') ? [] : picturesIn(raw);
    this.isOneResult = drafts.length === 1 && drafts[0]!.kind === 'tool_result';
  }

  of({ callIds }: ToolResultDraft): readonly Picture[] {
    const isOwn = (picture: Picture) => this.isOneResult || picture.callIds.some((id) => callIds.includes(id));
    const own = this.left.filter(isOwn);
    this.left = this.left.filter((picture) => !isOwn(picture));
    return own;
  }

  rest(): MessagePart[] {
    return this.left.length > 0 ? [{ kind: 'pictures', pictures: this.left }] : [];
  }
}

/** Calls without a result so far. */
class OpenCalls {
  private readonly byId = new Map<string, ToolCall>();
  /** Of the latest message with calls, oldest first. */
  private turn: ToolCall[] = [];

  startTurn(): void {
    this.turn = [];
  }

  /** A later call with the same id replaces an earlier one: some programs number their calls from 0 in every message. */
  open({ id, name, arguments: args }: ToolCallDraft): ToolCall {
    const call: ToolCall = { id, name, args };
    if (id !== undefined) this.byId.set(id, call);
    this.turn.push(call);
    return call;
  }

  /** @returns whether there is such a call */
  answer({ callIds, name }: ToolResultDraft, result: ToolResult): boolean {
    const id = callIds.find((known) => this.byId.has(known));
    const open = this.turn.find((call) => !call.result && (name === undefined || call.name === name));
    const call = callIds.length > 0 ? id !== undefined && this.byId.get(id) : open;
    // A second result for the same call is shown separately: nothing reported gets lost.
    if (!call || call.result) return false;
    call.result = result;
    return true;
  }
}

/** Calls and thoughts are the model's; results are the tools'. */
const ROLE_OF: Record<LogDraft['kind'], Role> = {
  user: 'user',
  system: 'system',
  assistant: 'assistant',
  thinking: 'assistant',
  tool_call: 'assistant',
  tool_result: 'tool',
  event: 'other',
};

/** With some APIs, results come in user messages; text beside them makes it the user's message. */
function roleOf(drafts: readonly LogDraft[]): Role {
  const telling = drafts.find(({ kind }) => kind !== 'tool_result' && kind !== 'event') ?? drafts[0];
  return telling ? ROLE_OF[telling.kind] : 'other';
}

function nameOf(raw: unknown): { name?: string } {
  if (typeof raw !== 'object' || raw === null || raw instanceof ExactNumber) return {};
  const { name, role } = raw as { name?: unknown; role?: unknown };
  return typeof name === 'string' && typeof role === 'string' && !['tool', 'function'].includes(role) ? { name } : {};
}
