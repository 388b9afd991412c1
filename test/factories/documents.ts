import { waiting, type RunIds } from './waiting.js';
import type { RunnerEvent } from './events.js';

const asks = (traceId: string): RunnerEvent =>
  waiting({ threadId: `thread-of-${traceId}`, traceId } satisfies RunIds, 3);

/** The README decides on tool calls of these runs; its reader's agents have reported them. */
export const WAITS_IN_README: readonly RunnerEvent[] = [asks('run-1'), asks('run-2')];
