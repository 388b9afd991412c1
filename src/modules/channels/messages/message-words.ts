import { cutText } from '../../../common/cut-text.js';
import { oneLine, safeFileName } from '../../../common/file-name.js';
import type { Attachment, ForwardedMessage, InboundMessage } from '../platforms/inbound-update.js';

const MAX_WORDS = 200;
const MAX_NAMED = 10;

/** A message's text, or what came instead, such as `[3 images]` or `Grace in #incidents: ...`. If nothing came, the text unchanged. */
export function wordsOf({
  text,
  attachments,
  forwarded = [],
}: Pick<InboundMessage, 'text' | 'attachments' | 'forwarded'>): string {
  if (text.trim() !== '') return text;
  const shares = forwarded.filter((one) => one.text !== '' || attachments.length === 0).map(shareWords);
  return [wordsOfAll(attachments), ...shares].filter((line) => line !== '').join('\n') || text;
}

function shareWords({ author, chat, text, attachments }: ForwardedMessage): string {
  const who = [author?.name ?? author?.id ?? 'Somebody', ...(chat?.name ? [chat.name] : [])].map(oneLine).join(' in ');
  return `${who}: ${text.trim() === '' ? wordsOfAll(attachments) || '[no text]' : text}`;
}

/** Groups attachments by kind, in order of first appearance. */
function wordsOfAll(attachments: readonly Attachment[]): string {
  const kinds = new Map<string, Attachment[]>();
  for (const one of attachments) kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), one]);
  return [...kinds].map(([kind, all]) => `[${all.length === 1 ? oneOf(all[0]!) : manyOf(kind, all)}]`).join(' ');
}

function oneOf({ kind, id, name, description }: Attachment): string {
  if (description?.startsWith('voice message')) return shown(description);
  const words = [nameOf({ id, name }), id === null || kind === 'sticker' ? description : null].filter((one) => one);
  return words.length === 0 ? kind : `${kind}: ${shown(words.join(', '))}`;
}

function manyOf(kind: string, all: readonly Attachment[]): string {
  const names = all.map(nameOf).filter((name) => name !== null);
  const named = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), '...'] : names;
  const count = `${all.length} ${kind}s`;
  return kind === 'image' || named.length === 0 ? count : `${count}: ${named.join(', ')}`;
}

/** Files have file names; contacts and places have names of their own. */
function nameOf({ id, name }: Pick<Attachment, 'id' | 'name'>): string | null {
  if (name === null) return null;
  return id === null ? shown(name) || null : safeFileName(name);
}

function shown(text: string): string {
  return cutText(oneLine(text), MAX_WORDS);
}
