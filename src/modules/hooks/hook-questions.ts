import {
  MAX_QUESTION_CALL_BYTES,
  readQuestions,
  type Answers,
  type Question,
} from '../../common/contract/questions.js';
import { withMembers } from '../../common/exact-values.js';
import { parsedJson } from '../../common/parsed-json.js';
import type { HookBody } from './hook-body.js';

const TOOL = 'AskUserQuestion';
/** The call without its input and its questions. */
const FRAME_BYTES = 1_024;

/** Whether the event is about the tool with which Claude Code asks its user questions. An allow alone does not answer them. */
export function isAboutQuestions({ platform, toolName }: HookBody): boolean {
  return platform === 'claude' && toolName === TOOL;
}

/**
 * The questions that Claude Code is about to ask. Null for none, and if two have the same text: Claude Code matches answers by the
 * text of the question (https://code.claude.com/docs/en/hooks).
 */
export function questionsOf(hook: HookBody): readonly Question[] | null {
  const input = hook.members.get('tool_input') ?? '{}';
  if (!isAboutQuestions(hook) || input.length > MAX_QUESTION_CALL_BYTES) return null;
  const { questions: asked } = (parsedJson(input) ?? {}) as { questions?: unknown };
  if (!Array.isArray(asked)) return null;
  const read = readQuestions(asked.map(toQuestion), '');
  if ('faults' in read || bytesOf(input, JSON.stringify(read.questions)) > MAX_QUESTION_CALL_BYTES) return null;
  return new Set(read.questions.map(({ text }) => text)).size === read.questions.length ? read.questions : null;
}

function bytesOf(...texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), FRAME_BYTES);
}

/** Claude Code always offers a free-text answer besides the options. */
function toQuestion(asked: unknown): unknown {
  const { question: text, header, options, multiSelect: multiple } = (asked ?? {}) as Record<string, unknown>;
  return { text, header, options, multiple, free_text: true };
}

/** The input with the answers; everything else is unchanged. */
export function answeredInput(hook: HookBody, answers: Answers): string {
  const given = (questionsOf(hook) ?? []).map(({ id, text }) => [text, [answers[id] ?? []].flat().join(', ')]);
  const values = Buffer.from(JSON.stringify(Object.fromEntries(given)));
  return withMembers(Buffer.from(hook.members.get('tool_input') ?? '{}'), { answers: values }).toString();
}
