import { isBlank, isSameSet, objectsOf, turnsOf, type JsonObject } from './faults.js';

/**
 * What Anthropic's Messages API refuses, from https://docs.claude.com/en/docs/agents-and-tools/tool-use/handle-tool-calls ("Tool result
 * blocks must immediately follow their corresponding tool use blocks", "the tool_result blocks must come FIRST in the content array") and
 * its errors: "`tool_use` ids were found without `tool_result` blocks immediately after", "unexpected `tool_use_id` found in `tool_result`
 * blocks", "`tool_use` ids must be unique", "... was found without a corresponding `web_search_tool_result` block", "text content blocks
 * must be non-empty", "text content blocks must contain non-whitespace text", "all messages must have non-empty content",
 * "thinking.signature: Field required", "Invalid `signature` in `thinking` block". Turns of one role in a row are combined.
 */
export function anthropicFaults(messages: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  const ids = new Set<unknown>();
  let due: unknown[] = [];
  const turns = turnsOf(messages, ({ role }) => String(role));
  for (const [role, turn] of turns) {
    const blocks = turn.flatMap(({ content }) =>
      typeof content === 'string' ? [{ type: 'text' }] : objectsOf(content),
    );
    if (role === 'assistant') {
      due = callsOf(blocks, faults);
      const callers = turn.map(({ content }) => objectsOf(content).some(({ type }) => type === 'tool_use'));
      if (callers.includes(true) && callers.lastIndexOf(false) > callers.indexOf(true))
        faults.push('a message behind calls');
      faults.push(
        ...due.filter((id, at) => ids.has(id) || due.indexOf(id) < at).map((id) => `the id ${String(id)} twice`),
      );
      for (const id of due) ids.add(id);
      if (blocks.some(({ type }) => type === 'tool_result')) faults.push('the assistant brings results');
      continue;
    }
    const first = blocks.findIndex(({ type }) => type !== 'tool_result');
    const results = (first === -1 ? blocks : blocks.slice(0, first)).map(({ tool_use_id }) => tool_use_id);
    if (!isSameSet(due, results)) faults.push(`calls ${due.join(', ')} but results ${results.join(', ')}`);
    if (blocks.slice(results.length).some(({ type }) => type === 'tool_result'))
      faults.push('a result that is not first');
    due = [];
  }
  if (due.length > 0) faults.push(`the end: no results for ${due.join(', ')}`);
  return [...faults, ...messages.flatMap(emptyFaults), ...hostedFaults(messages)];
}

function emptyFaults({ role, content }: JsonObject): string[] {
  if (role === 'system') return [];
  if (typeof content === 'string') return isBlank(content) ? ['empty content'] : [];
  const blocks = objectsOf(content);
  if (blocks.length === 0) return ['empty content'];
  const texts = blocks.filter(({ type, text }) => type === 'text' && isBlank(text));
  const thoughts = blocks.filter(({ type, signature }) => type === 'thinking' && (signature ?? '') === '');
  return [...texts.map(() => 'an empty text'), ...thoughts.map(() => 'a thought without its signature')];
}

function callsOf(blocks: readonly JsonObject[], faults: string[]): unknown[] {
  const first = blocks.findIndex(({ type }) => type === 'tool_use');
  if (first === -1) return [];
  if (blocks.slice(first).some(({ type }) => type === 'text')) faults.push('text behind a call');
  return blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
}

/** Tools that Anthropic runs: a result for each call, except in the last message, which it continues. */
function hostedFaults(messages: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  const ids = new Set<unknown>();
  const open = new Map<unknown, number>();
  const placed = messages.flatMap(({ content }, i) => objectsOf(content).map((block) => ({ i, block })));
  for (const { i, block } of placed) {
    const { type, id, tool_use_id } = block;
    if (/_tool_result$/.test(String(type)) && !open.delete(tool_use_id))
      faults.push(`messages.${i}: no server call for its result`);
    if (!/_tool_use$/.test(String(type))) continue;
    if (ids.has(id)) faults.push(`messages.${i}: a server call twice`);
    ids.add(id);
    open.set(id, i);
  }
  const last = messages.findLastIndex(
    ({ content }) => objectsOf(content).some(({ type }) => type !== 'tool_result') || typeof content === 'string',
  );
  for (const [id, i] of open) if (i < last) faults.push(`messages.${i}: no result for the server call ${String(id)}`);
  return faults;
}
