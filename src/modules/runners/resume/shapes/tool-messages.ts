import { ToolCallIndex, type IndexedCall } from '../tool-call-index.js';
import type { CallOutcome, CalledTool } from '../call-outcomes.js';
import { arrayOf, elementsOf, membersOf, withValues } from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import type { Message } from './history-shape.js';

/** A call in its message's list of calls. */
export interface ListedCall extends CalledTool {
  bytes: Buffer;
  list: Buffer;
}

/** How an API writes results as separate messages. */
export interface ToolMessageShape {
  /** The call that the message answers; null if it is not a result. */
  answerOf(message: Message): { id: string | null } | null;
  /** Only calls that can be answered. */
  callsOf(message: Message): readonly ListedCall[];
  /** How results are written for a message's calls. */
  resultBeside(caller: Buffer): (call: CalledTool, outcome: CallOutcome) => Buffer;
}

/** A message with calls must be followed at once by one result for each, in any order, and by no other results. */
export function repairToolMessages(
  shape: ToolMessageShape,
  history: readonly DraftMessage[],
  draft: HistoryDraft,
): void {
  const { toolCalls, spokenBefore, listed } = readToolMessages(shape, history);
  draft.register(toolCalls.calls);
  const results = new Map(toolCalls.results.map((result) => [result.at, result]));
  const calls = toolCalls.byMessage();
  for (const { at, bytes } of history) {
    const result = results.get(at);
    if (result && !result.call) draft.noteRemovedResult(result);
    if (result) continue;
    draft.push(at, withUniqueCalls(listed.get(at) ?? [], { at, bytes }, draft));
    const own = calls.get(at);
    if (!own) continue;
    const resultOf = shape.resultBeside(bytes);
    const write = (call: CalledTool) => (outcome: CallOutcome) => resultOf(call, outcome);
    const [answered, open] = byAnswer(own);
    for (const call of answered) {
      const answer = call.result!;
      draft.push(answer.at, draft.refreshResult(answer, write(call)));
      if (spokenBefore.get(answer.at) !== spokenBefore.get(at)! + 1) draft.noteMovedResult(answer);
    }
    for (const call of open) draft.push(at, draft.insertResult(at, call, write(call)));
  }
}

export function readToolMessages(shape: ToolMessageShape, history: readonly DraftMessage[]) {
  const toolCalls = new ToolCallIndex();
  /** For each message, how many earlier ones are no results. */
  const spokenBefore = new Map<number, number>();
  const listed = new Map<number, readonly ListedCall[]>();
  let spoken = 0;
  for (const { at, bytes } of history) {
    spokenBefore.set(at, spoken);
    const message = membersOf(bytes);
    const answer = shape.answerOf(message);
    if (answer) {
      toolCalls.addResult({ at, part: 0, bytes, id: answer.id, name: null });
      continue;
    }
    spoken += 1;
    const calls = shape.callsOf(message);
    if (calls.length > 0) listed.set(at, calls);
    for (const [part, { id, name, args }] of calls.entries()) toolCalls.addCall({ at, part, id, name, args });
  }
  return { toolCalls, spokenBefore, listed };
}

/** Calls with a result in the order of the results, and calls without. */
function byAnswer(calls: readonly IndexedCall[]): [answered: IndexedCall[], open: IndexedCall[]] {
  const answered = calls.filter(({ result }) => result !== null).sort((a, b) => a.result!.at - b.result!.at);
  return [answered, calls.filter(({ result }) => result === null)];
}

/** A call that repeats an id of its message cannot get its own result. */
function withUniqueCalls(calls: readonly ListedCall[], { at, bytes }: DraftMessage, draft: HistoryDraft): Buffer {
  const ids = new Set<string | null>();
  const repeated: ListedCall[] = [];
  for (const call of calls) {
    if (ids.has(call.id)) repeated.push(call);
    ids.add(call.id);
  }
  for (const { id } of repeated) draft.noteRepair(at, 'removed_call', id, 'Another call of the message has this id.');
  return repeated.length === 0 ? bytes : withoutCalls(bytes, repeated);
}

function withoutCalls(message: Buffer, calls: readonly ListedCall[]): Buffer {
  const left = new Set(calls.map(({ bytes }) => bytes.byteOffset));
  const lists = new Set(calls.map(({ list }) => list));
  const kept = (list: Buffer) => arrayOf((elementsOf(list) ?? []).filter(({ byteOffset }) => !left.has(byteOffset)));
  return withValues(
    message,
    [...lists].map((list) => [list, kept(list)] as const),
  );
}
