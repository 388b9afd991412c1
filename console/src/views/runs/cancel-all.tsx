import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isAtRest } from '../../../../src/common/contract/run-status.js';
import { formatCount } from '../../lib/format.js';
import { mayManage, useSession } from '../../session/session.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import type { RunList } from './run-list.js';
import { cancelAll, runsToCancel, type RunsToCancel } from './runs-to-cancel.js';
import { isFiltered, type RunsSearch } from './runs-search.js';

/** Cancels everything in progress that the list shows. */
export function CancelAll({ list, search }: { list: RunList; search: RunsSearch }) {
  const [isOpen, setOpen] = useState(false);
  const isManager = mayManage(useSession());
  const isUnderWay = (id: string) => !isAtRest(list.row(id)?.status ?? 'idle');
  if (!isManager || (!isOpen && !list.ids.some(isUnderWay))) return null;
  return (
    <>
      <Button kind="quiet" onPress={() => setOpen(true)}>
        Cancel all…
      </Button>
      {isOpen && <CancelAllDialog search={search} onClose={() => setOpen(false)} />}
    </>
  );
}

function CancelAllDialog({ search, onClose }: { search: RunsSearch; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [done, setDone] = useState(0);
  const { data, error: whyUnknown } = useQuery({
    queryKey: ['runs', 'to-cancel', search],
    queryFn: ({ signal }) => runsToCancel(search, signal),
    gcTime: 0,
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => cancelAll(search, reason, setDone),
    onSuccess: onClose,
  });
  const isNothing = data !== undefined && data.threads.length + data.queued.length === 0;
  return (
    <ActDialog
      {...{ title: 'Cancel all runs?', act: 'Cancel all', acting: `Cancelling… ${formatCount(done)} done` }}
      {...{ kind: 'danger', isPending, error: error ?? whyUnknown, onClose, onAct: mutate }}
      isDisabled={data === undefined || isNothing}
    >
      <p aria-live="polite">{data === undefined ? 'Counting the runs…' : whatEnds(data, isFiltered(search))}</p>
      <p>
        <code>waystation agent</code> stops the programs of the runs. Other programs learn of it at their next report.
      </p>
      <TextField
        label="Reason"
        kind="long"
        value={reason}
        onChange={setReason}
        hint="Shown with each run and sent to its program."
      />
    </ActDialog>
  );
}

function whatEnds({ threads, queued }: RunsToCancel, isPart: boolean): string {
  const where = isPart ? ' that match the filters' : '';
  if (threads.length + queued.length === 0) return `Nothing runs in the threads${where}.`;
  const running =
    threads.length === 1
      ? `The run of 1 thread${where} ends`
      : `The runs of ${formatCount(threads.length)} threads${where} end`;
  const waiting = queued.length === 1 ? '1 queued run' : `${formatCount(queued.length)} queued runs`;
  const first = threads.length > 0 && `${running} now, those that wait for a person included.`;
  const second = queued.length > 0 && `${waiting} will never start.`;
  return [first, second].filter(Boolean).join(' ');
}
