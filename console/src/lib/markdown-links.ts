const SAFE = new Set(['http:', 'https:', 'mailto:']);

/** The target of a link in untrusted text. */
export interface SafeLink {
  /** Null for one that is not http, https or mailto, or that leads into this page: it is shown as text. */
  href: string | null;
  /** The target to show beside the text; null if the text already says it. */
  target: string | null;
}

/** @param text what the reader sees as the link */
export function linkOf(address: string, text: string): SafeLink {
  const plain = decodeEntities(address);
  const url = URL.canParse(plain) ? new URL(plain) : null;
  if (!url || !SAFE.has(url.protocol)) return { href: null, target: plain };
  // A name and a password before the host only serve to imitate another host.
  const isDisguised = url.username !== '' || url.password !== '';
  const href = url.href;
  if (!isDisguised && [plain, href].some((full) => shortOf(full) === shortOf(text))) return { href, target: null };
  return { href: isDisguised ? null : href, target: shortOf(href) };
}

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  larr: '←',
  times: '×',
  middot: '·',
  bull: '•',
  deg: '°',
  euro: '€',
};

/** Decodes the entities common in model output; others stay as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,8}));/g,
    (whole: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = decimal === undefined ? parseInt(hex!, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

/** An address as people write it. */
function shortOf(address: string): string {
  return address.replace(/^(https?:\/\/|mailto:)/, '').replace(/\/$/, '');
}
