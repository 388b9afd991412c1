import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { isAtRest } from '../../../../../src/common/contract/run-status.js';
import { api, read } from '../../../api/client.js';
import { formatCost, formatCount, formatDuration } from '../../../lib/format.js';
import { effectPlace } from '../../../lib/inbox-place.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { Figures } from '../../../ui/figures.js';
import { Conditions, Status } from '../../../ui/status.js';
import { Age, Elapsed } from '../../../ui/time.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { useThread } from '../data/thread-context.js';
import { ToCard } from '../waiting/to-card.js';
import { WaitingCards } from '../waiting/waiting-cards.js';
import { NeighbourThreads } from './neighbours.js';
import { RunEvents } from './run-events.js';
import { RunError } from './run-error.js';
import { ThreadActs } from './thread-acts.js';
import { budgetOf, channelIdOf, placeToDecide, stepsText } from './thread-figures.js';
import './thread-header.css';

/** The thread's name, status and actions. */
export function ThreadHeader() {
  const { id, thread } = useThread();
  return (
    <header className="thread-header">
      <div className="title">
        <h1 className="mono">
          <VisibleText text={id} />
        </h1>
        <CopyButton text={id} label="Copy the id of the thread" />
        <Status status={thread.status} />
        <ThreadConditions />
        <NeighbourThreads />
        <ThreadActs />
      </div>
      <WaitingCards />
      <ThreadFigures />
      <RunError />
      <RunEvents />
    </header>
  );
}

/** Each links to its remedy. */
function ThreadConditions() {
  const { thread, doubts } = useThread();
  return (
    <>
      <Conditions isSilent={thread.silent} isInDoubt={false} />
      {doubts[0] && (
        <ToCard place={effectPlace(doubts[0])}>
          <Conditions isSilent={false} isInDoubt />
        </ToCard>
      )}
    </>
  );
}

function ThreadFigures() {
  const { id, thread, runs, run } = useThread();
  const isRunning = runs.some(({ status }) => !isAtRest(status));
  const channelId = channelIdOf(id);
  return (
    <Figures
      items={[
        { name: thread.agents.length > 1 ? 'Agents' : 'Agent', value: <VisibleText text={thread.agents.join(', ')} /> },
        ...(thread.model ? [{ name: 'Model', value: <VisibleText text={thread.model} /> }] : []),
        { name: 'Started', value: <Age time={thread.started_at} suffix="ago" /> },
        {
          name: 'Duration',
          // Excludes the pause before a retry.
          value:
            !isRunning && runs.length === 1 ? (
              formatDuration(runs[0]!.duration_ms)
            ) : (
              <Elapsed
                from={run.attempts > 1 ? run.attempt_started_at : thread.started_at}
                to={isRunning ? null : thread.updated_at}
              />
            ),
        },
        { name: 'Steps', value: stepsText(runs) },
        { name: 'Tokens', value: formatCount(thread.total_tokens) },
        { name: 'Cost', value: <Cost /> },
        ...(channelId ? [{ name: 'Channel', value: <Channel id={channelId} /> }] : []),
        ...(thread.pending_approvals > 0 ? [{ name: 'Approvals', value: <Waiting /> }] : []),
        {
          name: 'Run',
          value: (
            <span className="with-copy">
              <span className="mono">
                <VisibleText text={run.trace_id} />
              </span>
              <CopyButton text={run.trace_id} label="Copy the id of the run" />
            </span>
          ),
        },
      ]}
    />
  );
}

/** From this part of the budget on, the bar warns. */
const HOT = 0.8;

function Cost() {
  const { thread, runs, steps } = useThread();
  const cost = thread.total_cost_usd;
  const budget = budgetOf(runs, steps);
  if (budget === 0) return formatCost(cost);
  const part = Math.min(1, cost / budget);
  return (
    <>
      {formatCost(cost)} of {formatCost(budget)}
      <span className="budget-bar" aria-hidden="true">
        <i className={part >= HOT ? 'hot' : undefined} style={{ width: `${100 * part}%` }} />
      </span>
    </>
  );
}

function Waiting() {
  const { thread, approvals } = useThread();
  const count = thread.pending_approvals;
  return (
    <ToCard className="waiting" place={placeToDecide(approvals)}>
      {count === 1 ? '1 waits' : `${count} wait`}
    </ToCard>
  );
}

/** A removed channel appears with its id. */
function Channel({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['channels', id],
    queryFn: ({ signal }) => read(api.GET('/v1/channels/{id}', { params: { path: { id } }, signal })),
    staleTime: 60_000,
  });
  return (
    <Link to="/channels/$channelId" params={{ channelId: id }}>
      <VisibleText text={data ? data.name : id} />
    </Link>
  );
}
