import type { BlockMessage, ReadBlock } from './block-history.js';

/**
 * Calls of provider-run tools with no result or a repeated id, and results of such calls without the call. The last call of a history may
 * be open: the provider continues with it.
 */
export function unpairedHosted(
  messages: readonly BlockMessage[],
  isStaying: (block: ReadBlock) => boolean,
): ReadonlySet<ReadBlock> {
  const ids = new Set<string | null>();
  const open = new Map<string | null, { at: number; block: ReadBlock }>();
  const unpaired = new Set<ReadBlock>();
  const placed = messages.flatMap(({ at, blocks }) => blocks.map((block) => ({ at, block })));
  for (const { at, block } of placed) {
    if (block.kind === 'hosted_result' && !open.delete(block.id)) unpaired.add(block);
    if (block.kind !== 'hosted_call') continue;
    if (ids.has(block.id)) unpaired.add(block);
    else open.set(block.id, { at, block });
    ids.add(block.id);
  }
  const end = messages.findLastIndex(({ blocks }) => blocks.length === 0 || !blocks.every(isStaying));
  for (const { at, block } of open.values()) if (at < end) unpaired.add(block);
  return unpaired;
}
