import { getRouteApi, Link } from '@tanstack/react-router';
import { formatCount } from '../../lib/format.js';
import { mayManage, useSession } from '../../session/session.js';
import { useTitle } from '../../shell/use-title.js';
import { MoreThanShown } from '../../ui/more-than-shown.js';
import { RuleSentence } from '../../ui/rule-sentence.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { Status } from '../../ui/status.js';
import { Age } from '../../ui/time.js';
import { ViewHead } from '../../ui/view-head.js';
import { VisibleText } from '../../ui/visible-text.js';
import { Revoke } from './revoke.js';
import { Ends } from './rule-state.js';
import { useRules, type Rule } from './rules-data.js';
import './rules.css';

const route = getRouteApi('/rules');

const EFFECTS = {
  allow: { word: 'allows', tone: 'done' },
  deny: { word: 'rejects', tone: 'bad' },
  ask: { word: 'asks', tone: 'wait' },
} as const;

export function RulesView() {
  useTitle('Rules');
  const { show } = route.useSearch();
  const rules = useRules(show === 'all');
  const isManager = mayManage(useSession());
  return (
    <div className="rules-view">
      <ViewHead title="Rules">
        <Link
          to="/rules"
          search={show === 'all' ? {} : { show: 'all' }}
          replace
          className="button plain"
          activeProps={{}}
        >
          {show === 'all' ? 'Hide ended rules' : 'Show ended rules'}
        </Link>
        {isManager && (
          <Link to="/rules/new" search={{}} className="button main">
            New rule
          </Link>
        )}
      </ViewHead>
      {rules.error && !rules.data ? (
        <Failure error={rules.error} onRetry={() => void rules.refetch()} />
      ) : !rules.data ? (
        <Skeleton lines={6} />
      ) : rules.data.items.length === 0 ? (
        <NoRules />
      ) : (
        <>
          <ul className="rules card" aria-label="Rules">
            {rules.data.items.map((rule) => (
              <RuleLine key={rule.id} rule={rule} />
            ))}
          </ul>
          <MoreThanShown list={rules.data} where="GET /v1/rules" />
        </>
      )}
    </div>
  );
}

function NoRules() {
  return (
    <Empty title="No rules">
      A rule decides calls that people would decide alike each time. Choose “Make it a rule” beside a{' '}
      <Link to="/approvals" search={{ kind: 'decided' }}>
        decision
      </Link>{' '}
      to begin with one.
    </Empty>
  );
}

function RuleLine({ rule }: { rule: Rule }) {
  const { id, effect, uses, last_used_at, created_by, created_through, created_at, note } = rule;
  const state = rule.status;
  return (
    <li data-state={state}>
      <Status status={EFFECTS[effect].word} tone={state === 'active' ? EFFECTS[effect].tone : 'off'} />
      <div className="said">
        <Link to="/rules/$ruleId" params={{ ruleId: id }}>
          <RuleSentence rule={rule} />
        </Link>
        <p className="faint">
          <VisibleText text={note} />
        </p>
      </div>
      <p className="facts">
        <span>
          {uses === 0 ? (
            'never used'
          ) : (
            <>
              {formatCount(uses)} {uses === 1 ? 'use' : 'uses'}
              {last_used_at && (
                <>
                  , last <Age time={last_used_at} suffix="ago" />
                </>
              )}
            </>
          )}
        </span>
        <Ends rule={rule} />
        <span>
          by <VisibleText text={created_by ?? created_through} isValue />, <Age time={created_at} suffix="ago" />
        </span>
      </p>
      <Revoke rule={rule} />
    </li>
  );
}
