import { BlockHistory } from './block-history.js';
import { repairBlocks } from './block-repair.js';
import type { BlockShape } from './block-shape.js';
import { tidyBlocks, userMessage, type Refusal } from './block-tidy.js';
import type { HistoryShape } from './history-shape.js';

/** The common part of shapes whose messages are lists of blocks. */
export function blockMethods(
  shape: BlockShape,
  refusalOf: Refusal,
): Pick<HistoryShape, 'indexCalls' | 'tidy' | 'repair' | 'note'> {
  return {
    indexCalls: (history) =>
      new BlockHistory(
        shape,
        history.map((bytes, at) => ({ at, bytes })),
      ).toolCalls,
    tidy: (history, draft) => tidyBlocks(shape, refusalOf, history, draft),
    repair: (history, draft) => repairBlocks(shape, history, draft),
    note: (text) => userMessage(shape, text),
  };
}
