import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Problem } from '../../api/problem.js';
import { useTitle } from '../../shell/use-title.js';
import { mayManage, useSession } from '../../session/session.js';
import { Button } from '../../ui/button.js';
import { CancelRun } from '../../ui/cancel-run.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { ViewHead } from '../../ui/view-head.js';
import { VisibleText } from '../../ui/visible-text.js';
import { ThreadContext, useThread } from './data/thread-context.js';
import { isThereQuery } from './data/thread-queries.js';
import { useThreadModel } from './data/use-thread-model.js';
import { ThreadHeader } from './header/thread-header.js';
import { Timeline } from './timeline/timeline.js';
import { StepDetails } from './details/step-details.js';
import { Transcript } from './transcript/transcript.js';
import { useRows } from './transcript/use-rows.js';
import './thread-view.css';

const route = getRouteApi('/threads/$threadId');

export function ThreadView() {
  const { threadId } = route.useParams();
  useTitle(threadId);
  // Another thread is another view: no state may carry over.
  return <LoadedThread key={threadId} />;
}

function LoadedThread() {
  const { threadId } = route.useParams();
  const { model, error, retry } = useThreadModel();
  useBegun(model !== null);
  if (model) {
    return (
      <ThreadContext value={model}>
        <Parts />
      </ThreadContext>
    );
  }
  if (error instanceof Problem && error.status === 404) return <UnknownThread id={threadId} onThere={retry} />;
  return error ? <Failure error={error} onRetry={retry} /> : <Skeleton lines={8} />;
}

/** Once the thread exists, removes `begins` from the address: the thread may be deleted some day. */
function useBegun(isThere: boolean): void {
  const { begins } = route.useSearch();
  const navigate = route.useNavigate();
  useEffect(() => {
    if (isThere && begins)
      void navigate({ search: (now) => ({ ...now, begins: undefined }), replace: true, resetScroll: false });
  }, [isThere, begins, navigate]);
}

function Parts() {
  const { live } = useThread();
  const rows = useRows();
  useStepKeys();
  return (
    <div className="thread-view">
      {live === 'deleted' && (
        <p className="thread-deleted" role="alert">
          This thread has just been deleted. You see its last state.
        </p>
      )}
      <ThreadHeader />
      <Timeline />
      <div className="panes">
        <Transcript {...rows} />
        <StepDetails rows={rows} />
      </div>
    </div>
  );
}

/** Keys that move between steps. */
function useStepKeys(): void {
  const { runSteps, step, isFollowing, select } = useThread();
  const at = step ? runSteps.indexOf(step) : -1;
  const go = (to: number) => {
    const target = runSteps[Math.max(0, Math.min(to, runSteps.length - 1))];
    if (target && (target !== step || isFollowing)) select({ step: target });
  };
  const next = () => at < runSteps.length - 1 && go(at + 1);
  const previous = () => go(at - 1);
  const latest = () => select({ step: null });
  useShortcuts({
    ...{ j: next, ArrowRight: next, ArrowDown: next },
    ...{ k: previous, ArrowLeft: previous, ArrowUp: previous },
    ...{ Home: () => go(0), End: latest, Escape: latest },
  });
}

/** Polls, because a thread appears with the first report of its run. */
function UnknownThread({ id, onThere }: { id: string; onThere: () => void }) {
  const { begins, run } = route.useSearch();
  const { data: isThere = false } = useQuery(isThereQuery(id));
  useEffect(() => {
    if (isThere) onThere();
  }, [isThere, onThere]);
  if (begins) {
    return (
      <>
        <ViewHead title={<VisibleText text={id} />} />
        <Empty title="Waiting for the agent">
          <p role="status">
            The agent took the message and has not reported yet. The thread opens with its first report.
          </p>
          <p>
            A busy agent starts the run when another one ends. <Link to="/agents">Go to the agents</Link>
          </p>
          {run !== undefined && <CancelWaiting threadId={id} traceId={run} />}
        </Empty>
      </>
    );
  }
  return (
    <>
      <ViewHead title={<VisibleText text={id} />} />
      <Empty title="There is no such thread">
        <p>
          It was deleted, or nothing has been reported to it yet. <Link to="/">Go to the threads</Link>
        </p>
      </Empty>
    </>
  );
}

/** For a run that has not started: its thread appears with the cancellation. */
function CancelWaiting({ threadId, traceId }: { threadId: string; traceId: string }) {
  const isManager = mayManage(useSession());
  const [isAsking, setIsAsking] = useState(false);
  if (!isManager) return null;
  return (
    <>
      <Button onPress={() => setIsAsking(true)}>Cancel the run</Button>
      {isAsking && (
        <CancelRun
          run={{ thread_id: threadId, trace_id: traceId }}
          onCancelled={() => undefined}
          onClose={() => setIsAsking(false)}
        >
          <p>
            The run <VisibleText text={traceId} /> has not started yet. It never will.
          </p>
        </CancelRun>
      )}
    </>
  );
}
