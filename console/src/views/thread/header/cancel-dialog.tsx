import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isEnded } from '../../../../../src/common/contract/run-status.js';
import { api, read } from '../../../api/client.js';
import { TextField } from '../../../ui/field.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { useThread } from '../data/thread-context.js';
import { threadQuery, type ThreadRun } from '../data/thread-queries.js';
import { ActDialog } from './act-dialog.js';

/** Ends a run that somebody wants to stop. */
export function CancelDialog({ run, onClose }: { run: ThreadRun; onClose: () => void }) {
  const { id, runs } = useThread();
  const queries = useQueryClient();
  const { trace_id } = run;
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      read(
        api.POST('/threads/{thread_id}/runs/{trace_id}/cancel', {
          params: { path: { thread_id: id, trace_id } },
          body: reason.trim() === '' ? {} : { reason },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: threadQuery(id).queryKey });
      onClose();
    },
  });
  const below = runs.filter(({ parent_trace_id, status }) => parent_trace_id === trace_id && !isEnded(status)).length;
  return (
    <ActDialog
      {...{ title: 'Cancel this run?', act: 'Cancel the run', acting: 'Cancelling…', kind: 'danger' }}
      {...{ isPending, error, onClose, onAct: mutate }}
    >
      <p>
        The run <VisibleText text={trace_id} /> of <VisibleText text={run.agent_id} /> ends now
        {below > 0 && `, and so ${below === 1 ? 'does the open run' : `do the ${below} open runs`} below it`}. Nobody
        can decide on its tool calls any more.
      </p>
      <p>
        <code>waystation agent</code> stops the program of the run. Other programs learn of it with their next report.
      </p>
      <TextField
        label="Reason"
        kind="long"
        value={reason}
        onChange={setReason}
        hint="Shown with the run, and told to its program."
      />
    </ActDialog>
  );
}
