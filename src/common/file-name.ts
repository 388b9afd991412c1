const MAX_LENGTH = 150;
const MAX_EXTENSION = 20;

/** What nobody sees or what turns the reading direction: controls, formats, halves of pairs, private and unassigned characters, line separators. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** A text of somebody else in one line, without characters that nobody sees. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').trim();
}

/**
 * A name that somebody gave a file, safe to show and to save under: its last path part in one line, without unseen characters, at most 150
 * characters with its extension kept. Null where nothing is left.
 */
export function safeFileName(name: string): string | null {
  const last = name
    .split(/[/\\]/)
    .map(oneLine)
    .findLast((part) => part !== '');
  if (last === undefined || /^\.+$/.test(last)) return null;
  const chars = [...last];
  if (chars.length <= MAX_LENGTH) return last;
  const dot = chars.lastIndexOf('.');
  const extension = dot > 0 && chars.length - dot <= MAX_EXTENSION ? chars.slice(dot) : [];
  return [...chars.slice(0, MAX_LENGTH - extension.length), ...extension].join('');
}

/** A size for people: `20 MB`. */
export function megabytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.floor(bytes / 1024 / 1024)} MB`;
}
