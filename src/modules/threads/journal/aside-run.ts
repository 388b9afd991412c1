import { Reporter } from '../bindings/reporter.js';
import { reportedFields } from '../../../common/contract/checkpoint-fields.js';
import { CheckpointRecorder } from './checkpoint-recorder.js';
import { RunStandings } from './run-standings.js';
import type { StoredRows } from './stored-rows.js';
import type { ThreadDraft } from './thread-draft.js';
import type { RunState } from './thread-state.js';

/** A run that nobody has reported. */
export interface UnreportedRun {
  traceId: string;
  agentId: string;
  /** The agents that the token of its agent's process is bound to; null for all. */
  boundTo: readonly string[] | null;
}

/**
 * Opens the run as its start would, but takes nothing from those that are there: what they wait for goes on waiting, and while one is open
 * the thread goes on showing that.
 */
export async function openAside(draft: ThreadDraft, stored: StoredRows, unreported: UnreportedRun): Promise<RunState> {
  const reporter = new Reporter(unreported.boundTo);
  const recorder = new CheckpointRecorder(draft, stored, new RunStandings(draft, reporter), reporter);
  const start = {
    kind: 'started',
    fields: reportedFields({ agent_id: unreported.agentId }),
    occurredAtMs: null,
  } as const;
  const opening = await stored.find(() => recorder.planRun(start));
  const isAside = draft.row.open_runs > 0;
  return recorder.openRun(start, unreported.traceId, { ...opening, waiting: [], isAside });
}
