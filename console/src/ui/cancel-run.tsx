import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, read } from '../api/client.js';
import { TextField } from './field.js';
import { ActDialog } from './act-dialog.js';

interface CancelRunProps {
  run: { thread_id: string; trace_id: string };
  /** The consequences for this run. */
  children: ReactNode;
  onCancelled: () => void;
  onClose: () => void;
}

/** Asks for a reason and cancels the run. */
export function CancelRun({ run: { thread_id, trace_id }, children, onCancelled, onClose }: CancelRunProps) {
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      read(
        api.POST('/threads/{thread_id}/runs/{trace_id}/cancel', {
          params: { path: { thread_id, trace_id } },
          body: reason.trim() === '' ? {} : { reason },
        }),
      ),
    onSuccess: () => {
      onCancelled();
      onClose();
    },
  });
  return (
    <ActDialog
      {...{ title: 'Cancel this run?', act: 'Cancel the run', acting: 'Cancelling…', kind: 'danger' }}
      {...{ isPending, error, onClose, onAct: mutate }}
    >
      {children}
      <TextField
        label="Reason"
        kind="long"
        value={reason}
        onChange={setReason}
        hint="Shown with the run and sent to its program."
      />
    </ActDialog>
  );
}
