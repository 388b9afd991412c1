import { CallOutcomes, type RunKnowledge } from './call-outcomes.js';
import { notesOn } from './effect-notes.js';
import { membersOf } from '../../../common/exact-values.js';
import { HistoryDraft, isProvisional } from './history-draft.js';
import type { RepairedHistory } from './repair.js';
import { AI_SDK_MODEL } from './shapes/ai-sdk-model.js';
import { AI_SDK_UI } from './shapes/ai-sdk-ui.js';
import { ANTHROPIC, PLAIN } from './shapes/anthropic.js';
import { BEDROCK } from './shapes/bedrock.js';
import { GEMINI } from './shapes/gemini.js';
import type { HistoryShape, Message } from './shapes/history-shape.js';
import { LANGCHAIN } from './shapes/langchain.js';
import { OPENAI_CHAT } from './shapes/openai-chat.js';
import { OPENAI_RESPONSES } from './shapes/openai-responses.js';

/** No history has messages that are specific to two of these. */
const SHAPES: readonly HistoryShape[] = [
  OPENAI_CHAT,
  ANTHROPIC,
  OPENAI_RESPONSES,
  GEMINI,
  LANGCHAIN,
  AI_SDK_UI,
  AI_SDK_MODEL,
  BEDROCK,
];

/** A conversation without tools may fit any of these; the first match reads it. */
const SPOKEN: readonly HistoryShape[] = [PLAIN, OPENAI_CHAT, OPENAI_RESPONSES];

/** A reported history, and a copy of it that providers accept. */
export class ModelHistory {
  private readonly shape: HistoryShape | null;
  /** Index of the first message that the best shape does not have. */
  private readonly strangeAt: number;

  /** @param history messages as exact JSON */
  constructor(private readonly history: readonly Buffer[]) {
    const { shape, strangeAt } = shapeOf(history.map(membersOf));
    this.shape = shape;
    this.strangeAt = strangeAt;
  }

  /** Ids of calls with a result, except results that an earlier repair wrote for an unknown outcome. */
  answeredIds(): ReadonlySet<string> {
    const toolCalls = this.shape?.indexCalls(this.history);
    return toolCalls?.answeredIds((result) => !isProvisional(result)) ?? new Set();
  }

  /**
   * Each call has one result, each result a call. Messages that need no repair keep their exact text. A history that does not fit one known
   * shape as a whole is returned unchanged, with a `not_understood` entry.
   */
  repaired(known: RunKnowledge): RepairedHistory {
    const { shape, history } = this;
    if (history.length === 0) return { messages: history, repairs: [] };
    if (!shape) return this.notUnderstood();
    const outcomes = new CallOutcomes(known);
    const draft = new HistoryDraft(outcomes);
    const all = history.map((bytes, at) => ({ at, bytes }));
    shape.repair(shape.tidy?.(all, draft) ?? all, draft);
    const notes = notesOn(known.effects, outcomes, history);
    const text = notes.map((note) => note.text).join('\n');
    if (notes.length > 0) draft.push(history.length, shape.note(text, history.at(-1)!));
    for (const { call_id, detail } of notes) draft.noteRepair(history.length, 'appended_note', call_id, detail);
    shape.finish?.(draft);
    return draft.repaired();
  }

  private notUnderstood(): RepairedHistory {
    const detail =
      'The history is not of one known shape from here on: it was left as it is, and calls without results may be in it.';
    return {
      messages: this.history,
      repairs: [{ index: this.strangeAt, kind: 'not_understood', call_id: null, detail }],
    };
  }
}

/** The shape that fits all messages, of which at least one is specific to it. */
function shapeOf(history: readonly Message[]): { shape: HistoryShape | null; strangeAt: number } {
  let strangeAt = 0;
  for (const shape of SHAPES) {
    const { end, hasOwn } = fitOf(history, shape);
    if (end === history.length && hasOwn) return { shape, strangeAt };
    strangeAt = Math.max(strangeAt, Math.min(end, history.length - 1));
  }
  const spoken = SPOKEN.find((shape) => fitOf(history, shape).end === history.length);
  return { shape: spoken ?? null, strangeAt };
}

/** The index of the first message that does not fit the shape. */
function fitOf(history: readonly Message[], shape: HistoryShape): { end: number; hasOwn: boolean } {
  let hasOwn = false;
  for (const [end, message] of history.entries()) {
    const fit = shape.fit(message);
    if (fit === 'none') return { end, hasOwn };
    hasOwn ||= fit === 'own';
  }
  return { end: history.length, hasOwn };
}
