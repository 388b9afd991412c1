const MAX_LENGTH = 150;
const MAX_EXTENSION = 20;

/**
 * Invisible characters and those that change the writing direction: controls, formats, lone surrogates, private and unassigned characters,
 * line separators.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Untrusted text on one line, without invisible characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').trim();
}

/**
 * A file name from outside, made safe to show and to save under: its last path part on one line, without invisible characters, at most 150
 * characters with its extension kept. Null if nothing is left.
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
