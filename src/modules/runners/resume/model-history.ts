import { CallBook } from './call-book.js';
import { CallOutcomes, type RunKnowledge } from './call-outcomes.js';
import { notesOn } from './effect-notes.js';
import { elementsOf, membersOf, nameOf } from './exact-values.js';
import { isProvisional } from './history-draft.js';
import type { RepairedHistory } from './repair.js';
import { ANTHROPIC } from './shapes/anthropic.js';
import { BlockHistory } from './shapes/block-history.js';
import { BlockRepair } from './shapes/block-repair.js';
import type { BlockShape } from './shapes/block-shape.js';
import { geminiShape } from './shapes/gemini.js';
import { isOpenAiChat, readOpenAiChat, repairOpenAiChat, spokenMessage } from './shapes/openai-chat.js';
import { bookOfOpenAiResponses, isOpenAiResponses, repairOpenAiResponses } from './shapes/openai-responses.js';

/** How one API writes histories. */
interface HistoryShape {
  book: (history: readonly Buffer[]) => CallBook;
  repair: (history: readonly Buffer[], outcomes: CallOutcomes) => RepairedHistory;
  /** A message of the user. */
  message: (text: string) => Buffer;
}

const GEMINI_SNAKE_CASE = Buffer.from('"function_call"');

const CHAT: HistoryShape = {
  book: (history) => readOpenAiChat(history).book,
  repair: repairOpenAiChat,
  message: spokenMessage,
};
const RESPONSES: HistoryShape = {
  book: bookOfOpenAiResponses,
  repair: repairOpenAiResponses,
  message: spokenMessage,
};
/** A conversation that says nothing of tools: the three APIs but Gemini's read it alike. */
const PLAIN: HistoryShape = {
  book: () => new CallBook(),
  repair: (messages) => ({ messages, repairs: [] }),
  message: spokenMessage,
};

/** A history as it was reported, and the copy of it that a provider accepts. */
export class ModelHistory {
  private readonly shape: HistoryShape | null;

  /** @param history messages as exact JSON */
  constructor(private readonly history: readonly Buffer[]) {
    this.shape = shapeOf(history);
  }

  /** Ids of the calls that have a result; what an earlier repair wrote without knowing what became of the call counts for none. */
  answeredIds(): ReadonlySet<string> {
    const book = this.shape?.book(this.history);
    return book?.answeredIds((result) => !isProvisional(result)) ?? new Set();
  }

  /**
   * Each call has one result behind it, each result a call. Messages that need no repair keep their exact text. A history of an unknown
   * shape stays as it is.
   */
  repaired(known: RunKnowledge): RepairedHistory {
    const { shape, history } = this;
    if (!shape) return { messages: history, repairs: [] };
    const outcomes = new CallOutcomes(known);
    const { messages, repairs } = shape.repair(history, outcomes);
    const notes = notesOn(known.effects, outcomes, history);
    if (notes.length === 0) return { messages, repairs };
    const index = history.length;
    const told = notes.map(({ call_id, detail }) => ({ index, kind: 'appended_note' as const, call_id, detail }));
    return {
      messages: [...messages, shape.message(notes.map(({ text }) => text).join('\n'))],
      repairs: [...repairs, ...told],
    };
  }
}

/** That of the first message which only one API can have. */
function shapeOf(history: readonly Buffer[]): HistoryShape | null {
  let isPlain = history.length > 0;
  for (const bytes of history) {
    const message = membersOf(bytes);
    if (isOpenAiResponses(message)) return RESPONSES;
    if (isOpenAiChat(message)) return CHAT;
    if (isGemini(message)) return inBlocks(geminiShape(history.some((one) => one.includes(GEMINI_SNAKE_CASE))));
    if (isAnthropic(message)) return inBlocks(ANTHROPIC);
    isPlain &&= nameOf(message.get('role')) !== null && message.has('content');
  }
  return isPlain ? PLAIN : null;
}

function inBlocks(shape: BlockShape): HistoryShape {
  return {
    book: (history) => new BlockHistory(shape, history).book,
    repair: (history, outcomes) => new BlockRepair(shape, history, outcomes).repaired(),
    message: (text) => Buffer.from(`{"role":"user","${shape.list}":[${shape.text(text).toString()}]}`),
  };
}

function isGemini(message: ReadonlyMap<string, Buffer>): boolean {
  return !message.has('content') && elementsOf(message.get('parts')) !== null;
}

function isAnthropic(message: ReadonlyMap<string, Buffer>): boolean {
  if (!message.has('role')) return false;
  return (elementsOf(message.get('content')) ?? []).some((block) => {
    const { kind } = ANTHROPIC.read(block);
    return kind !== 'text' && kind !== 'other';
  });
}
