import { CallBook, type BookedCall } from '../call-book.js';
import type { CallOutcome, CallOutcomes } from '../call-outcomes.js';
import { arrayOf, elementsOf, membersOf, nameOf, withValue } from '../exact-values.js';
import { HistoryDraft } from '../history-draft.js';
import type { RepairedHistory } from '../repair.js';

type Message = ReadonlyMap<string, Buffer>;

/** Whether only OpenAI's chat completions, and the many APIs like it, have such a message. */
export function isOpenAiChat(message: Message): boolean {
  return isResult(message) ? resultId(message) !== null : callsOf(message).length > 0;
}

/** A message for the model that is no result; in all APIs but Gemini's it looks like this. */
export function spokenMessage(text: string): Buffer {
  return Buffer.from(JSON.stringify({ role: 'user', content: text }));
}

/**
 * A message with `tool_calls` must be followed at once by a `tool` message for each of them, in any order, and there must be no other
 * `tool` messages (https://platform.openai.com/docs/guides/function-calling, and the errors of the API).
 */
export function repairOpenAiChat(history: readonly Buffer[], outcomes: CallOutcomes): RepairedHistory {
  const { book, spokenBefore } = readOpenAiChat(history);
  for (const call of book.calls) outcomes.see(call);
  const draft = new HistoryDraft(outcomes);
  const results = new Map(book.results.map((result) => [result.at, result]));
  const calls = book.byMessage();
  for (const [at, message] of history.entries()) {
    const result = results.get(at);
    if (result && !result.call) draft.tellRemoved(result);
    if (result) continue;
    draft.messages.push(withUniqueCalls(message, at, draft));
    const [answered, open] = byAnswer(calls.get(at) ?? []);
    for (const { answer, id } of answered) {
      draft.messages.push(draft.renew(answer!, (outcome) => resultMessage(id, outcome)));
      if (spokenBefore[answer!.at] !== spokenBefore[at + 1]) draft.tellMoved(answer!);
    }
    for (const call of open) {
      draft.messages.push(draft.insert(at, call, (outcome) => resultMessage(call.id, outcome)));
    }
  }
  return draft.repaired();
}

export function readOpenAiChat(history: readonly Buffer[]) {
  const book = new CallBook();
  /** For each message, how many before it are no results. */
  const spokenBefore: number[] = [];
  let spoken = 0;
  for (const [at, bytes] of history.entries()) {
    spokenBefore.push(spoken);
    const message = membersOf(bytes);
    if (isResult(message)) {
      book.result({ at, part: 0, bytes, id: resultId(message), name: null });
      continue;
    }
    spoken += 1;
    for (const [part, call] of callsOf(message).entries()) book.call({ at, part, ...call });
  }
  return { book, spokenBefore: [...spokenBefore, spoken] };
}

/** The calls with a result, in the order of the results, and those without. */
function byAnswer(calls: readonly BookedCall[]): [answered: BookedCall[], open: BookedCall[]] {
  const answered = calls.filter(({ answer }) => answer !== null).sort((a, b) => a.answer!.at - b.answer!.at);
  return [answered, calls.filter(({ answer }) => answer === null)];
}

function isResult(message: Message): boolean {
  return nameOf(message.get('role')) === 'tool';
}

/** Some programs keep a list of one id. */
function resultId(message: Message): string | null {
  return nameOf(message.get('tool_call_id')) ?? nameOf(elementsOf(message.get('tool_call_ids'))?.[0]);
}

/** Calls without an id, which some APIs like this one have, are answered by order; those APIs refuse nothing. */
function callsOf(message: Message) {
  const calls = (elementsOf(message.get('tool_calls')) ?? []).map(membersOf).map((call) => {
    const tool = membersOf(call.get('function') ?? call.get('custom'));
    const args = tool.get('arguments') ?? tool.get('input') ?? null;
    return { id: nameOf(call.get('id')), name: nameOf(tool.get('name')), args };
  });
  return calls.filter(({ id }) => id !== null);
}

/** A call of an id that the message has already cannot get a result of its own. */
function withUniqueCalls(message: Buffer, at: number, draft: HistoryDraft): Buffer {
  const list = membersOf(message).get('tool_calls');
  const calls = elementsOf(list) ?? [];
  const ids = new Set<string>();
  const kept = calls.filter((call) => {
    const id = nameOf(membersOf(call).get('id'));
    const isRepeated = id !== null && ids.has(id);
    if (isRepeated) draft.tell(at, 'removed_call', id, 'Another call of the message has this id.');
    if (id !== null) ids.add(id);
    return !isRepeated;
  });
  return kept.length === calls.length ? message : withValue(message, list!, arrayOf(kept));
}

function resultMessage(id: string | null, { text }: CallOutcome): Buffer {
  return Buffer.from(JSON.stringify({ role: 'tool', tool_call_id: id, content: text }));
}
