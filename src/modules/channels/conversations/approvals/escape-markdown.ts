/** Escapes the characters that have a meaning in Markdown. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!~|>]/g, '\\$&').replaceAll(/\s+/g, ' ');
}
