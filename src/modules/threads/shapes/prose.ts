import type { LogDraft, ProseDraft, ProseKind } from './log-draft.js';
import { type JsonObject, compactJson, cutText, firstPresent, isObject, isPresent, textOf } from './json-text.js';

/** Stands for a model's reasoning that its vendor hides or encrypts. */
export const HIDDEN_THINKING = '[redacted thinking]';

/** One part of a message's content as text; `isProse` is false for a placeholder. */
interface Piece {
  text: string;
  isProse: boolean;
  isRefusal?: boolean;
}

const MEDIA_LABELS = new Map([
  ['image', '[image]'],
  ['image_url', '[image]'],
  ['input_image', '[image]'],
  ['computer_screenshot', '[image]'],
  ['audio', '[audio]'],
  ['input_audio', '[audio]'],
  ['output_audio', '[audio]'],
  ['video', '[video]'],
  ['video_url', '[video]'],
]);

const TEXT_TYPES = new Set(['text', 'input_text', 'output_text', 'summary_text', 'reasoning_text', 'refusal', 'logs']);
const FILE_TYPES = new Set(['file', 'input_file', 'document', 'container_upload']);
const SEARCH_HIT_TYPES = new Set(['search_result', 'web_search_result']);

/** The text of one content part of any shape; a foreign part gets a short description. */
export function readPart(part: unknown): Piece {
  if (typeof part === 'string') return { text: part, isProse: true };
  if (!isObject(part)) return { text: cutText(compactJson(part)), isProse: false };
  const type = textOf(part.type) ?? '';
  const label = MEDIA_LABELS.get(type);
  if (label !== undefined) return { text: label, isProse: false };
  if (FILE_TYPES.has(type)) return { text: fileLabel(part), isProse: false };
  if (SEARCH_HIT_TYPES.has(type)) return { text: searchHit(part), isProse: false };
  if (type === 'refusal' && typeof part.refusal === 'string')
    return { text: part.refusal, isProse: true, isRefusal: true };
  const text = proseOf(part);
  return text === undefined ? { text: cutText(compactJson(part)), isProse: false } : { text, isProse: true };
}

/** A label for inline or linked data, from its media type (`image/png`). */
export function mediaLabel(mediaType: unknown): string {
  const family = textOf(mediaType)?.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? `[${family}]` : '[file]';
}

/** The text of a whole content: a string, parts, or any other JSON. */
export function contentText(content: unknown): string {
  if (!isPresent(content)) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return isPart(content) ? readPart(content).text : compactJson(content);
  if (content.length > 0 && !content.some(isPart)) return compactJson(content);
  return content.map((part) => readPart(part).text).join('\n');
}

/** Collects the drafts of one message and joins text that belongs together. */
export class DraftList {
  readonly drafts: LogDraft[] = [];
  private endsInProse = false;

  add(draft: LogDraft): void {
    this.drafts.push(draft);
    this.endsInProse = false;
  }

  /** Appends to the previous entry if it is of the same kind; ignores empty pieces. */
  addPiece(kind: ProseKind, piece: Piece): void {
    if (piece.text === '') return;
    const level = piece.isRefusal ? 'warn' : 'info';
    const last = this.drafts.at(-1);
    if (last?.kind === kind && last.level === level) this.append(last, piece);
    else this.drafts.push({ kind, level, message: piece.text });
    this.endsInProse = piece.isProse;
  }

  private append(draft: ProseDraft, piece: Piece): void {
    // Models' texts are split anywhere (citations, streams) and must be joined; other parts stand alone.
    const isOneText = (draft.kind === 'assistant' || draft.kind === 'thinking') && this.endsInProse && piece.isProse;
    draft.message += isOneText ? piece.text : `\n${piece.text}`;
  }
}

/** Whether a value is a content part rather than data that a tool returned. */
function isPart(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string') return false;
  const { type } = value;
  return TEXT_TYPES.has(type) || MEDIA_LABELS.has(type) || FILE_TYPES.has(type) || SEARCH_HIT_TYPES.has(type);
}

function proseOf(part: JsonObject): string | undefined {
  const { text } = part;
  if (typeof text === 'string') return text;
  // OpenAI's Assistants nest the text once more: {"type": "text", "text": {"value": "..."}}.
  if (isObject(text) && typeof text.value === 'string') return text.value;
  return part.type === 'logs' && typeof part.logs === 'string' ? part.logs : undefined;
}

function fileLabel(part: JsonObject): string {
  const inner = isObject(part.file) ? part.file : part;
  const name = textOf(firstPresent(inner.filename, inner.title, inner.name));
  const mediaType = firstPresent(inner.mediaType, inner.mimeType); // as the Vercel AI SDK writes it
  return name === undefined ? mediaLabel(mediaType) : `[file: ${cutText(name, 200)}]`;
}

function searchHit(part: JsonObject): string {
  return [textOf(part.title), textOf(part.url) ?? textOf(part.source)].filter(isPresent).join(' ');
}
