import type { SentFile, SentForm } from './form-data.js';

export type Values = Record<string, unknown>;

/** A message as the chat shows it now. */
export interface TelegramMessage {
  chatId: string;
  messageId: number;
  threadId: string | null;
  text: string;
  isHtml: boolean;
  buttons: { text: string; data: string }[];
  /** What came with it; absent for a text. */
  file?: SentFile & { method: string };
}

/** An error of the Bot API. */
export class Refusal {
  constructor(
    readonly code: number,
    readonly message: string,
    readonly parameters?: Values,
  ) {}
}

/** What the chat shows of a message with that body. */
export function shownOf(body: Values): Omit<TelegramMessage, 'messageId'> {
  const isHtml = body.parse_mode === 'HTML';
  return {
    chatId: String(body.chat_id),
    threadId: body.message_thread_id === undefined ? null : String(body.message_thread_id),
    text: isHtml ? visible(String(body.text)) : String(body.text),
    isHtml,
    buttons: keysOf(body).map(({ text, callback_data: data }) => ({ text: String(text), data: String(data) })),
  };
}

function keysOf(body: Values): Values[] {
  const { inline_keyboard: rows = [] } = (body.reply_markup ?? {}) as { inline_keyboard?: Values[][] };
  return rows.flat();
}

export function textFault(body: Values): Refusal | null {
  const text = String(body.text ?? '');
  if (Buffer.byteLength(text) > 32_768) return new Refusal(400, 'Bad Request: message is too long');
  if (body.parse_mode === 'HTML') {
    const fault = htmlFault(text);
    if (fault) return new Refusal(400, `Bad Request: can't parse entities: ${fault}`);
  }
  const shown = body.parse_mode === 'HTML' ? visible(text) : text;
  if (shown.trim() === '') return new Refusal(400, 'Bad Request: message text is empty');
  return [...shown].length > 4096 ? new Refusal(400, 'Bad Request: message is too long') : null;
}

/** The parameters of the methods that send a file. */
export const FILE_FIELDS: Readonly<Record<string, string>> = {
  ...{ sendPhoto: 'photo', sendVoice: 'voice', sendAudio: 'audio', sendVideo: 'video' },
  sendDocument: 'document',
};

/** What the chat shows of a file, or why the method does not take it. */
export function fileOf(method: string, form: SentForm | null): SentFile | Refusal {
  const file = form?.files[FILE_FIELDS[method]!];
  if (!form || !file) return new Refusal(400, `Bad Request: there is no ${FILE_FIELDS[method]} in the request`);
  if (file.bytes.length === 0) return new Refusal(400, 'Bad Request: file must be non-empty');
  if (file.bytes.length > 50 * 1024 * 1024) return new Refusal(413, 'Request Entity Too Large');
  const { caption = '', parse_mode } = form.fields;
  const text = parse_mode === 'HTML' ? visible(caption) : caption;
  if (parse_mode === 'HTML' && htmlFault(caption)) return new Refusal(400, "Bad Request: can't parse entities");
  if (text.length > 1024) return new Refusal(400, 'Bad Request: message caption is too long');
  const isPicture = file.bytes[0] === 0x89 || file.bytes[0] === 0xff;
  if (method === 'sendPhoto' && !isPicture) return new Refusal(400, 'Bad Request: IMAGE_PROCESS_FAILED');
  return file;
}

export function buttonFault(body: Values): Refusal | null {
  const isFine = keysOf(body).every(({ text, callback_data: data }) => {
    const bytes = Buffer.byteLength(String(data));
    return String(text) !== '' && bytes >= 1 && bytes <= 64;
  });
  return isFine ? null : new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID');
}

const TAG = /<(\/?)(b|i|s|u|a|code|pre|blockquote)(?: (?:href|class)="[^"<>]*")?>/g;

/** Tags must be known and nested, and nothing else may look like one. */
function htmlFault(html: string): string | null {
  const open: string[] = [];
  for (const [, slash, name = ''] of html.matchAll(TAG)) {
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return `unmatched end tag ${name}`;
  }
  if (open.length > 0) return `can't find end tag corresponding to start tag ${open.at(-1)}`;
  return /[<>]/.test(html.replaceAll(TAG, '')) ? 'unsupported start tag' : null;
}

/** What people see of HTML. */
export function visible(html: string): string {
  const text = html.replaceAll(TAG, '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
  return text.replaceAll('&amp;', '&');
}
