/** A program's standard input: a message and its origin. */
export interface MessageInput {
  message: string;
  /** Set for messages from a chat. */
  context?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The message with what it replies to, forwards and attaches, as one text for a model. Lines that begin with `>` quote others: they are
 * material, not instructions.
 */
export function describeMessage({ message, context }: MessageInput): string {
  const values = objectOf(context);
  const reply = objectOf(values?.reply_to);
  const button = objectOf(values?.button);
  return [
    ...(objectOf(values?.late_for) ? [LATE] : []),
    ...(reply ? [replyWords(reply)] : []),
    ...objectsOf(values?.forwarded).map((forward) => forwardWords(forward, message)),
    message,
    ...(objectOf(button?.form) ? [`Form: ${JSON.stringify(button!.form)}`] : []),
    ...attachmentWords('Attachments', values?.attachments),
  ].join('\n\n');
}

const LATE = 'This came too late for the message before; the attachments are those of both.';

function replyWords(reply: Values): string {
  const [text, quote] = [textOf(reply.text), textOf(reply.quote)];
  const whose = reply.is_own === true ? 'your message' : `a message of ${nameOf(reply.author) ?? 'somebody'}`;
  const parts = [
    ...(text === null ? [] : [quoted(text)]),
    ...(quote === null ? [] : ['The part that is meant:', quoted(quote)]),
    ...attachmentWords('With', reply.attachments),
  ];
  return parts.length === 0
    ? `In answer to ${whose}, which is not shown.`
    : [`In answer to ${whose}:`, ...parts].join('\n');
}

function forwardWords(forward: Values, message: string): string {
  const [text, place, sentAt] = [textOf(forward.text), nameOf(forward.chat), textOf(forward.sent_at)];
  const from = [nameOf(forward.author) ?? 'somebody', ...(place === null ? [] : [`in ${place}`])].join(' ');
  const when = sentAt === null ? '' : ` (${oneLine(sentAt)})`;
  // If the forwarded message is the message itself, so are its attachments.
  if (text === null || text === message) return `Forwarded from ${from}${when}.`;
  return [`Forwarded from ${from}${when}:`, quoted(text), ...attachmentWords('With', forward.attachments)].join('\n');
}

function attachmentWords(title: string, value: unknown): string[] {
  const attachments = objectsOf(value);
  return attachments.length === 0 ? [] : [[`${title}:`, ...attachments.map(lineOf)].join('\n')];
}

function lineOf(attachment: Values): string {
  const { kind, name, media_type, size_bytes, description, href, unavailable } = attachment;
  const size = typeof size_bytes === 'number' ? `${size_bytes} bytes` : null;
  const words = [name, media_type, size, description, href, unavailable].map(textOf).filter((text) => text !== null);
  return `- ${[textOf(kind) ?? 'something', ...words].map(oneLine).join(', ')}`;
}

function quoted(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `> ${line}`)
    .join('\n');
}

function nameOf(author: unknown): string | null {
  const values = objectOf(author);
  const name = textOf(values?.name) ?? textOf(values?.id);
  return name === null ? null : oneLine(name);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\u2028\u2029]+/g, ' ').trim();
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function objectOf(value: unknown): Values | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : null;
}

function objectsOf(value: unknown): Values[] {
  return Array.isArray(value) ? value.map(objectOf).filter((one) => one !== null) : [];
}
