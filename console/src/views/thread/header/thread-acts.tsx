import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { agentsQuery } from '../../../api/lists.js';
import { mayManage, useSession } from '../../../session/session.js';
import { Button } from '../../../ui/button.js';
import { useThread } from '../data/thread-context.js';
import { reachableAgents, runToCancel, runToRetry, whyUnreachable } from './act-targets.js';
import { CancelDialog } from './cancel-dialog.js';
import { ContinueDialog } from './continue-dialog.js';
import { DeleteDialog } from './delete-dialog.js';
import { ExportButton } from './export-button.js';
import { RetryDialog } from './retry-dialog.js';

const route = getRouteApi('/threads/$threadId');
const AGENTS_EVERY_MS = 10_000;

type Act = 'cancel' | 'retry' | 'continue' | 'delete';

/** Actions on the thread. A reader only sees the export. */
export function ThreadActs() {
  const mayAct = mayManage(useSession());
  return (
    <div className="acts">
      {mayAct && <StartingActs />}
      <ExportButton />
      {mayAct && <DeletingAct />}
    </div>
  );
}

function StartingActs() {
  const { thread, runs, run, live } = useThread();
  const { act: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const [act, setAct] = useState<Act | null>(asked ?? null);
  const { data: agents } = useQuery({ ...agentsQuery, refetchInterval: AGENTS_EVERY_MS });
  const known = agents?.items ?? [];
  const open = runToCancel(runs, run);
  const resting = runToRetry(run);
  const reachable = reachableAgents(known, thread.agents);
  const close = () => {
    setAct(null);
    if (asked) void navigate({ search: ({ act: _, ...rest }) => rest, replace: true });
  };
  const isGone = live === 'deleted';
  const whyNoRetry = agents ? whyUnreachable(known, run.agent_id) : null;
  const whyNoMessage = agents && reachable.length === 0 ? 'No agent is online. Start one with waystation agent.' : null;
  return (
    <>
      <Button
        icon="message"
        isDisabled={isGone || reachable.length === 0}
        aria-describedby={whyNoMessage ? 'why-no-start' : undefined}
        onPress={() => setAct('continue')}
      >
        Continue
      </Button>
      {resting && (
        <Button
          icon="retry"
          isDisabled={isGone || whyNoRetry !== null || !agents}
          aria-describedby={whyNoRetry ? 'why-no-start' : undefined}
          onPress={() => setAct('retry')}
        >
          Retry
        </Button>
      )}
      {open && (
        <Button kind="danger" icon="stop" isDisabled={isGone} onPress={() => setAct('cancel')}>
          Cancel
        </Button>
      )}
      {(whyNoMessage ?? (resting && whyNoRetry)) && (
        <p className="why-not" id="why-no-start">
          {resting && whyNoRetry ? whyNoRetry : whyNoMessage}
        </p>
      )}
      {act === 'cancel' && open && <CancelDialog run={open} onClose={close} />}
      {act === 'retry' && resting && whyNoRetry === null && <RetryDialog run={resting} onClose={close} />}
      {act === 'continue' && <ContinueDialog agents={reachable} onClose={close} />}
    </>
  );
}

function DeletingAct() {
  const { live } = useThread();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button kind="danger" icon="trash" isDisabled={live === 'deleted'} onPress={() => setIsOpen(true)}>
        Delete
      </Button>
      {isOpen && <DeleteDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}
