import { getRouteApi, Link } from '@tanstack/react-router';
import { visibleString } from '../../lib/visible-text.js';
import { asTyped } from '../../lib/as-typed.js';
import { mayManage, useSession } from '../../session/session.js';
import { useTitle } from '../../shell/use-title.js';
import { Button } from '../../ui/button.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { Status } from '../../ui/status.js';
import { Age } from '../../ui/time.js';
import { ViewHead } from '../../ui/view-head.js';
import { VisibleText } from '../../ui/visible-text.js';
import { useAgents, type Agent } from './agent-data.js';
import { QueuedRuns } from './queued-runs.js';
import { Start } from './start.js';
import { Triggers } from './triggers.js';
import './agents.css';

const route = getRouteApi('/agents');

/** Which agents are online, what starts them and when next; people can start them by hand. */
export function AgentsView() {
  useTitle('Agents');
  const { data, error, refetch, hasNextPage, fetchNextPage } = useAgents();
  const isManager = mayManage(useSession());
  const { start } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (agentId?: string) => void navigate({ search: agentId === undefined ? {} : { start: agentId } });
  const agents = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <ViewHead title="Agents" />
      {error && !agents ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !agents ? (
        <Skeleton lines={4} />
      ) : agents.length === 0 ? (
        <NoAgents />
      ) : (
        <ul className="agent-list">
          {agents.map((agent) => (
            <AgentCard
              key={agent.agent_id}
              agent={agent}
              onStart={isManager ? () => choose(agent.agent_id) : undefined}
            />
          ))}
        </ul>
      )}
      {hasNextPage && <Button onPress={() => void fetchNextPage()}>More agents</Button>}
      {isManager && start !== undefined && <Start agentId={start} onClose={() => choose()} />}
    </>
  );
}

function NoAgents() {
  return (
    <Empty title="No agent has called yet" command={asTyped('agent examples/agents/agents.yaml')}>
      A running agent process shows here within 15 seconds. Start one with the examples:
    </Empty>
  );
}

/** @param onStart absent if this session may not start runs */
function AgentCard({ agent, onStart }: { agent: Agent; onStart: (() => void) | undefined }) {
  const { agent_id, online, last_seen, endpoint, triggers, queued_runs } = agent;
  const reason = endpoint === null ? 'Cannot be started from here.' : online ? undefined : 'Offline.';
  return (
    <li className="agent-card card">
      <header>
        <h2 className="cut">
          <VisibleText text={agent_id} />
        </h2>
        <Status status={online ? 'online' : 'offline'} tone={online ? 'done' : 'off'} />
        <span className="seen">
          seen <Age time={last_seen} suffix="ago" />
        </span>
        <div className="acts">
          <Link to="/" search={{ agent: agent_id }}>
            Its threads
          </Link>
          {onStart && reason && <span className="reason">{reason}</span>}
          {onStart && (
            <Button
              isDisabled={reason !== undefined}
              onPress={onStart}
              aria-label={`Start a run of ${visibleString(agent_id)}`}
            >
              Start a run
            </Button>
          )}
        </div>
      </header>
      {endpoint !== null && (
        <p className="agent-endpoint">
          reached at <code>{endpoint}</code>
        </p>
      )}
      {triggers.length > 0 && <Triggers triggers={triggers} />}
      {queued_runs.length > 0 && <QueuedRuns runs={queued_runs} isManager={onStart !== undefined} />}
    </li>
  );
}
