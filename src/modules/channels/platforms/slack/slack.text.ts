/** Slack's marks: `<@U1|name>`, `<#C1|name>`, `<!here>`, `<https://...|label>`. */
const MARK = /<([@#!]?)([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>/g;

/** The text as the person saw it. */
export function toPlain(text: string): string {
  return unescape(
    text.replaceAll(MARK, (_all, sign: string, target: string, label?: string) => plainMark(sign, target, label)),
  );
}

/** The text without the mention of the bot that it begins with. */
export function withoutMention(text: string, botId: string | null): string {
  const mention = /^\s*<@([A-Z0-9]+)(?:\|[^<>]*)?>[\s,:]*/.exec(text);
  return mention && mention[1] === botId ? text.slice(mention[0].length) : text;
}

export function mentions(text: string, userId: string): boolean {
  return text.includes(`<@${userId}>`) || text.includes(`<@${userId}|`);
}

export function mentionsAnybody(text: string): boolean {
  return /<@[UW][A-Z0-9]+[>|]/.test(text);
}

function plainMark(sign: string, target: string, label: string | undefined): string {
  if (sign === '@') return `@${label || target}`;
  if (sign === '#') return `#${label || target}`;
  if (sign === '!') return label || `@${target.split('^')[0]}`;
  const address = target.replace(/^mailto:|^tel:/, '');
  // What Slack made a link of by itself says the same twice.
  return !label || address.endsWith(label) ? address : `${label} (${address})`;
}

/** The ampersand last, or `&amp;lt;` would become a bracket. */
function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
