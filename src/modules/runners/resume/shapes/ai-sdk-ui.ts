import { ToolCallIndex, type IndexedResult } from '../tool-call-index.js';
import { MARK, type CallOutcome, type CalledTool } from '../call-outcomes.js';
import { elementsOf, membersOf, nameOf, withMembers, withValue, withValues } from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import { digestOf } from '../../../../common/digest.js';
import type { Fit, HistoryShape, Message } from './history-shape.js';

const ROLES = new Set(['system', 'user', 'assistant']);
const PART =
  /^(?:text|reasoning|reasoning-file|custom|source|source-url|source-document|file|step-start|dynamic-tool|(?:data|tool)-.+)$/;
const OPEN_STATES = new Set(['input-streaming', 'input-available', 'approval-requested', 'approval-responded']);
const OUTPUT_AVAILABLE = Buffer.from('"output-available"');
const OUTPUT_ERROR = Buffer.from('"output-error"');
/** Of version 4. */
const OLD_OPEN_STATES = new Set(['partial-call', 'call']);

/** A call that is a part of a message, with its result if there is one. */
interface ToolPart extends CalledTool {
  part: number;
  bytes: Buffer;
  isOpen: boolean;
  result: Buffer | null;
  /** In version 4, the object within the part that has the call. */
  old: Buffer | null;
}

/**
 * The AI SDK's UI messages. A call and its result are one part; `convertToModelMessages` turns a part whose `state` is not one of
 * `output-…` into a call without a result (https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message, and the checks of
 * `validateUIMessages`).
 */
export const AI_SDK_UI: HistoryShape = {
  fit,
  indexCalls,
  tidy: (history, draft) => history.filter((message) => !isLeftOut(message, draft)),
  repair,
  note: (text) =>
    Buffer.from(
      JSON.stringify({ id: `note-${digestOf(text).slice(0, 16)}`, role: 'user', parts: [{ type: 'text', text }] }),
    ),
};

function fit(message: Message): Fit {
  const parts = elementsOf(message.get('parts'));
  if (!parts || !ROLES.has(nameOf(message.get('role')) ?? '')) return 'none';
  if (parts.length === 0) return message.has('id') ? 'own' : 'none';
  return parts.every((part) => isPart(membersOf(part))) ? 'own' : 'none';
}

function isPart(part: Message): boolean {
  const type = nameOf(part.get('type')) ?? '';
  if (!PART.test(type)) return false;
  if (type === 'tool-invocation') return nameOf(membersOf(part.get('toolInvocation')).get('toolCallId')) !== null;
  const isTool = type === 'dynamic-tool' || type.startsWith('tool-');
  return !isTool || (nameOf(part.get('toolCallId')) !== null && nameOf(part.get('state')) !== null);
}

function indexCalls(history: readonly Buffer[]): ToolCallIndex {
  const all = new ToolCallIndex();
  for (const [at, bytes] of history.entries()) {
    for (const { part, id, name, args, result } of toolPartsOf(membersOf(bytes))) {
      const isNew = all.addCall({ at, part, id, name, args });
      if (isNew && result) all.addResult({ at, part, id, name, bytes: result });
    }
  }
  return all;
}

function toolPartsOf(message: Message): ToolPart[] {
  const found: ToolPart[] = [];
  for (const [part, bytes] of (elementsOf(message.get('parts')) ?? []).entries()) {
    const members = membersOf(bytes);
    const type = nameOf(members.get('type')) ?? '';
    if (type === 'tool-invocation') found.push(oldToolPart(part, bytes, members.get('toolInvocation')!));
    else if (type === 'dynamic-tool' || type.startsWith('tool-')) found.push(toolPart(part, bytes, members, type));
  }
  return found;
}

function toolPart(part: number, bytes: Buffer, members: Message, type: string): ToolPart {
  const isOpen = OPEN_STATES.has(nameOf(members.get('state')) ?? '');
  return {
    part,
    bytes,
    id: nameOf(members.get('toolCallId')),
    name: type === 'dynamic-tool' ? nameOf(members.get('toolName')) : type.slice('tool-'.length),
    args: members.get('input') ?? null,
    isOpen,
    // A denied call has no other result.
    result: isOpen ? null : (members.get('errorText') ?? members.get('output') ?? bytes),
    old: null,
  };
}

function oldToolPart(part: number, bytes: Buffer, old: Buffer): ToolPart {
  const members = membersOf(old);
  const isOpen = OLD_OPEN_STATES.has(nameOf(members.get('state')) ?? '');
  const [id, name] = [nameOf(members.get('toolCallId')), nameOf(members.get('toolName'))];
  return {
    part,
    bytes,
    id,
    name,
    args: members.get('args') ?? null,
    isOpen,
    result: isOpen ? null : (members.get('result') ?? old),
    old,
  };
}

function isLeftOut({ at, bytes }: DraftMessage, draft: HistoryDraft): boolean {
  if (elementsOf(membersOf(bytes).get('parts'))?.length !== 0) return false;
  draft.noteRepair(at, 'removed_message', null, 'A message must have at least one part.');
  return true;
}

function repair(history: readonly DraftMessage[], draft: HistoryDraft): void {
  const parts = new Map(history.map(({ at, bytes }) => [at, toolPartsOf(membersOf(bytes))]));
  draft.register([...parts.values()].flat());
  for (const { at, bytes } of history) {
    const changed = parts.get(at)!.flatMap((part) => {
      const repaired = repairedPart(at, part, draft);
      return repaired === part.bytes ? [] : [[part.bytes, repaired] as const];
    });
    draft.push(at, changed.length === 0 ? bytes : withValues(bytes, changed));
  }
}

function repairedPart(at: number, part: ToolPart, draft: HistoryDraft): Buffer {
  const write = (outcome: CallOutcome) => withOutcome(part, outcome);
  if (part.isOpen) return draft.insertResult(at, part, write);
  if (!part.result?.includes(`"${MARK}`)) return part.bytes;
  const answer: IndexedResult = { ...part, at, call: { ...part, at, result: null }, isDuplicate: false };
  return draft.refreshResult(answer, write);
}

function withOutcome({ bytes, old }: ToolPart, outcome: CallOutcome): Buffer {
  if (old) {
    const members = { state: Buffer.from('"result"'), result: Buffer.from(outcome.json) };
    return withValue(bytes, old, withMembers(old, members));
  }
  const members = membersOf(bytes);
  // A result is only valid beside an approval that was given.
  const isApproved = membersOf(members.get('approval')).get('approved')?.toString() === 'true';
  const changes: Record<string, Buffer | null> = outcome.isError
    ? { state: OUTPUT_ERROR, errorText: Buffer.from(JSON.stringify(outcome.text)), output: null }
    : { state: OUTPUT_AVAILABLE, output: Buffer.from(outcome.json), errorText: null };
  if (!isApproved) changes.approval = null;
  if (!members.has('input')) changes.input = Buffer.from('{}');
  return withMembers(bytes, changes);
}
