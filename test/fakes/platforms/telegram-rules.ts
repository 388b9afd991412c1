export type Values = Record<string, unknown>;

/** A message as the chat shows it now. */
export interface TelegramMessage {
  chatId: string;
  messageId: number;
  threadId: string | null;
  text: string;
  isHtml: boolean;
  buttons: { text: string; data: string }[];
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
