import { useQueryClient } from '@tanstack/react-query';
import { isEnded } from '../../../../../src/common/contract/run-status.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { useThread } from '../data/thread-context.js';
import { threadQuery, type ThreadRun } from '../data/thread-queries.js';
import { CancelRun } from '../../../ui/cancel-run.js';

export function CancelDialog({ run, onClose }: { run: ThreadRun; onClose: () => void }) {
  const { id, runs } = useThread();
  const queries = useQueryClient();
  const { trace_id } = run;
  const below = runs.filter(({ parent_trace_id, status }) => parent_trace_id === trace_id && !isEnded(status)).length;
  return (
    <CancelRun
      run={{ thread_id: id, trace_id }}
      onCancelled={() => void queries.invalidateQueries({ queryKey: threadQuery(id).queryKey })}
      onClose={onClose}
    >
      <p>
        The run <VisibleText text={trace_id} /> of <VisibleText text={run.agent_id} /> ends now
        {below > 0 && `, and so ${below === 1 ? 'does the open run' : `do the ${below} open runs`} below it`}. Its tool
        calls can no longer be decided.
      </p>
      <p>
        <code>waystation agent</code> stops the program of the run. Other programs learn of it at their next report.
      </p>
    </CancelRun>
  );
}
