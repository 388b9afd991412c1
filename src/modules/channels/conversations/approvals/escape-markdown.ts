/** Takes the meaning from the characters that Markdown gives one. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!~|>]/g, '\\$&').replaceAll(/\s+/g, ' ');
}
