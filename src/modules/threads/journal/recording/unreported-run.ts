import { Reporter } from '../../bindings/reporter.js';
import { reportedFields } from '../../../../common/contract/checkpoint-fields.js';
import { CheckpointRecorder } from './checkpoint-recorder.js';
import { RunStandings } from './run-standings.js';
import type { ThreadReader } from '../store/thread-reader.js';
import type { RunState } from '../rules/thread-state.js';

export interface UnreportedRun {
  traceId: string;
  agentId: string;
  /** The agents that its process's token is bound to; null for all. */
  boundTo: readonly string[] | null;
}

/**
 * Opens the run as its start would, but leaves existing runs untouched: tool calls stay pending, and the thread still shows an open run.
 */
export async function openUnreportedRun(reader: ThreadReader, unreported: UnreportedRun): Promise<RunState> {
  const { draft } = reader;
  const reporter = new Reporter(unreported.boundTo);
  const recorder = new CheckpointRecorder(draft, reader, new RunStandings(draft, reporter), reporter);
  const start = {
    kind: 'started',
    fields: reportedFields({ agent_id: unreported.agentId }),
    occurredAtMs: null,
  } as const;
  const opening = await recorder.planRun(start);
  const isAside = draft.row.open_runs > 0;
  return recorder.openRun(start, unreported.traceId, { ...opening, waiting: [], isAside });
}
