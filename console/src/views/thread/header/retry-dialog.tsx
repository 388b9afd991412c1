import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { TextField } from '../../../ui/field.js';
import { api, read } from '../../../api/client.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { useThread } from '../data/thread-context.js';
import { threadQuery, type ThreadRun } from '../data/thread-queries.js';
import { ActDialog } from '../../../ui/act-dialog.js';

/** Lets an agent continue a run that has ended. */
export function RetryDialog({ run, onClose }: { run: ThreadRun; onClose: () => void }) {
  const { id, select } = useThread();
  const queries = useQueryClient();
  const { trace_id } = run;
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      read(
        api.POST('/threads/{thread_id}/runs/{trace_id}/retry', {
          params: { path: { thread_id: id, trace_id } },
          body: reason.trim() === '' ? {} : { reason: reason.trim() },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: threadQuery(id).queryKey });
      select({ step: null });
      onClose();
    },
  });
  return (
    <ActDialog
      {...{ title: 'Retry this run?', act: 'Retry the run', acting: 'Calling the agent…' }}
      {...{ isPending, error, onClose, onAct: mutate }}
    >
      <p>
        The agent <VisibleText text={run.agent_id} /> receives the last message of the run{' '}
        <VisibleText text={trace_id} /> again and continues from its latest checkpoint. The timeline shows the next
        attempt.
      </p>
      <TextField label="Reason" kind="long" value={reason} onChange={setReason} hint="Shown with the run." />
    </ActDialog>
  );
}
