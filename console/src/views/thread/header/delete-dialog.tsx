import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isAtRest } from '../../../../../src/common/contract/run-status.js';
import { api, read } from '../../../api/client.js';
import { formatCount } from '../../../lib/format.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { useThread } from '../data/thread-context.js';
import { ActDialog } from '../../../ui/act-dialog.js';

/** Deletes the thread after saying what is deleted with it. */
export function DeleteDialog({ onClose }: { onClose: () => void }) {
  const { id, runs, steps, approvals } = useThread();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => read(api.DELETE('/threads/{thread_id}', { params: { path: { thread_id: id } } })),
    onSuccess: async () => {
      await navigate({ to: '/' });
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(id) });
    },
  });
  const isOpen = runs.some(({ status }) => !isAtRest(status));
  return (
    <ActDialog
      {...{ title: 'Delete this thread?', act: 'Delete the thread', acting: 'Deleting…', kind: 'danger' }}
      {...{ isPending, error, onClose, onAct: mutate }}
    >
      <p>
        This deletes all of <VisibleText text={id} />: {count(runs.length, 'run')}, {count(steps.length, 'step')} with
        their messages, {count(approvals.length, 'approval')}, and all effects. This cannot be undone: export it first
        if you may need it.
      </p>
      {isOpen && <p>A run is still open. If its program reports again, it begins a new thread with this id.</p>}
    </ActDialog>
  );
}

function count(number: number, of: string): string {
  return `${formatCount(number)} ${of}${number === 1 ? '' : 's'}`;
}
