import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api, read } from '../../api/client.js';
import { formatCount } from '../../lib/format.js';
import { useTitle } from '../../shell/use-title.js';
import { Figures } from '../../ui/figures.js';
import { JsonView } from '../../ui/json-view.js';
import { RuleSentence } from '../../ui/rule-sentence.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { Status } from '../../ui/status.js';
import { Age } from '../../ui/time.js';
import { ViewHead } from '../../ui/view-head.js';
import { VisibleText } from '../../ui/visible-text.js';
import { Revoke } from './revoke.js';
import { Ends } from './rule-state.js';
import { useRule, wordsOfRule, type Rule } from './rules-data.js';
import './rules.css';

const route = getRouteApi('/rules/$ruleId');
/** Decisions shown. */
const SHOWN = 20;

/** One rule: its text, who created it, and its latest decisions. */
export function RuleView() {
  useTitle('Rule');
  const rule = useRule(route.useParams().ruleId);
  return (
    <>
      <p className="rules-trail">
        <Link to="/rules">Rules</Link>
      </p>
      {rule.error && !rule.data ? (
        <Failure error={rule.error} onRetry={() => void rule.refetch()} />
      ) : rule.data ? (
        <OpenRule rule={rule.data} />
      ) : (
        <Skeleton lines={6} />
      )}
    </>
  );
}

function OpenRule({ rule }: { rule: Rule }) {
  const { id, note, uses, last_used_at, created_by, created_at, created_through } = rule;
  const state = rule.status;
  return (
    <>
      <ViewHead title="Rule" state={<Status status={state} tone={state === 'active' ? 'done' : 'off'} />}>
        <Revoke rule={rule} />
      </ViewHead>
      <p className="rule-sentence">
        <RuleSentence rule={rule} />
      </p>
      <p className="rule-note">
        <VisibleText text={note} />
      </p>
      <Figures
        items={[
          { name: 'Decided', value: uses === 1 ? '1 call' : `${formatCount(uses)} calls` },
          { name: 'Last used', value: last_used_at ? <Age time={last_used_at} suffix="ago" /> : 'never' },
          {
            name: 'Made by',
            value: (
              <>
                <VisibleText
                  text={created_by === null ? created_through : `${created_by} (${created_through})`}
                  isValue
                />
                , <Age time={created_at} suffix="ago" />
              </>
            ),
          },
          { name: 'End', value: <Ends rule={rule} /> },
        ]}
      />
      <div className="rule-parts">
        <section className="card" aria-labelledby="decided">
          <h2 id="decided">What it decided</h2>
          <Decided ruleId={id} />
        </section>
        <section className="card" aria-labelledby="words">
          <h2 id="words">Its words</h2>
          <JsonView value={wordsOfRule(rule)} label="The rule as JSON" />
        </section>
      </div>
    </>
  );
}

function Decided({ ruleId }: { ruleId: string }) {
  const decided = useQuery({
    queryKey: ['rules', ruleId, 'decided'],
    queryFn: ({ signal }) => {
      const query = { rule_id: ruleId, status: 'decided' as const, limit: SHOWN };
      return read(api.GET('/approvals', { params: { query }, signal }));
    },
  });
  if (decided.error && !decided.data) return <Failure error={decided.error} onRetry={() => void decided.refetch()} />;
  if (!decided.data) return <Skeleton />;
  if (decided.data.items.length === 0) return <Empty title="Nothing yet" />;
  return (
    <ul className="rule-uses">
      {decided.data.items.map(
        ({ thread_id, trace_id, step, attempt, digest, agent_id, status, decided_at, tool_calls }) => (
          <li key={`${thread_id} ${trace_id} ${attempt} ${step} ${digest}`}>
            <Link
              to="/threads/$threadId"
              params={{ threadId: thread_id }}
              search={{ run: trace_id, step: `${attempt}-${step}`, tab: 'approval' }}
            >
              <VisibleText
                text={tool_calls
                  .map(({ name }) => name ?? 'tool')
                  .slice(0, 3)
                  .join(', ')}
                isValue
              />
            </Link>
            <Status status={status} tone={status === 'approved' ? 'done' : 'bad'} />
            <span className="cut">
              <VisibleText text={agent_id} isValue />
            </span>
            {decided_at && <Age time={decided_at} suffix="ago" />}
          </li>
        ),
      )}
    </ul>
  );
}
