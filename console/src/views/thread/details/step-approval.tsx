import { AfterDecision } from '../../../decisions/after-decision.js';
import { answerText } from '../../../decisions/answers.js';
import { visibleString } from '../../../lib/visible-text.js';
import { stringifyExact } from '../../../api/exact-json.js';
import { formatExact } from '../../../lib/format.js';
import { callsPlace } from '../../../lib/inbox-place.js';
import { JsonDiff } from '../../../ui/json-diff.js';
import { Status, type Tone } from '../../../ui/status.js';
import { Age } from '../../../ui/time.js';
import { ValueText } from '../../../ui/value-text.js';
import { VisibleText } from '../../../ui/visible-text.js';
import type { Step } from '../data/steps.js';
import { ToCard } from '../waiting/to-card.js';
import { useThread } from '../data/thread-context.js';
import type { Approval } from '../data/thread-queries.js';

export const TONES: Record<Approval['status'], Tone> = {
  pending: 'wait',
  approved: 'done',
  rejected: 'bad',
  expired: 'off',
  superseded: 'off',
};

export function approvalsOfStep(approvals: readonly Approval[], step: Step): Approval[] {
  return approvals.filter(
    ({ trace_id, attempt, step: index }) =>
      trace_id === step.trace_id && attempt === step.attempt && index === step.step_index,
  );
}

/** What a person was asked at this step, and what they decided. */
export function StepApproval({ step }: { step: Step }) {
  const { approvals } = useThread();
  const own = approvalsOfStep(approvals, step);
  if (own.length === 0) return <p className="nothing">No approval at this step.</p>;
  return own.map((approval) => <ApprovalCard key={approval.digest} approval={approval} />);
}

function ApprovalCard({ approval }: { approval: Approval }) {
  const { status, created_at, decided_at, decided_by, decided_through, reason, expires_at, tool_calls } = approval;
  return (
    <article className="approval" aria-label={`Approval, ${visibleString(status)}`}>
      <header>
        <Status status={status} tone={TONES[status]} />
        {decided_at ? (
          <span>
            by <VisibleText text={approval.rule_id === null ? (decided_by ?? 'someone') : 'a rule'} />
            {decided_through && approval.rule_id === null && (
              <>
                {' '}
                through <VisibleText text={decided_through} />
              </>
            )}
            , <Age time={decided_at} suffix="ago" />
          </span>
        ) : (
          <span>
            asked <Age time={created_at} suffix="ago" />
          </span>
        )}
        {status === 'pending' && (
          <ToCard place={callsPlace(approval)}>{approval.kind === 'question' ? 'Answer' : 'Decide'}</ToCard>
        )}
        <AfterDecision approval={approval} />
      </header>
      {reason && (
        <p>
          <VisibleText text={reason} />
        </p>
      )}
      {status === 'pending' && expires_at && (
        <p className="note">
          Expires at <time dateTime={expires_at}>{formatExact(expires_at)}</time>
        </p>
      )}
      {tool_calls.map((call) => (
        <Call key={call.index} call={call} />
      ))}
    </article>
  );
}

const DECISIONS = {
  approve: { word: 'approved', tone: 'done' },
  answer: { word: 'answered', tone: 'done' },
  reject: { word: 'rejected', tone: 'bad' },
} as const;

function Call({ call }: { call: Approval['tool_calls'][number] }) {
  const { name, args, decision, edited_args, reason, questions, answers } = call;
  return (
    <div className="asked">
      <p className="facts">
        <b className="mono">
          <VisibleText text={name ?? 'tool'} />
        </b>
        {decision && <Status status={DECISIONS[decision].word} tone={DECISIONS[decision].tone} />}
        {edited_args !== null && <span>with edited arguments</span>}
      </p>
      {reason && (
        <p>
          <VisibleText text={reason} />
        </p>
      )}
      {questions && (
        <dl className="answers">
          {questions.map((question) => (
            <div key={question.id}>
              <dt>
                <VisibleText text={question.text} />
              </dt>
              {answers && (
                <dd>
                  <VisibleText text={answerText(question, answers[question.id])} isValue />
                </dd>
              )}
            </div>
          ))}
        </dl>
      )}
      {edited_args === null ? (
        <div className="value">
          <div
            className="mono"
            tabIndex={0}
            role="group"
            aria-label={`Arguments of ${visibleString(name ?? 'the call')}`}
          >
            <ValueText text={typeof args === 'string' ? args : stringifyExact(args)} />
          </div>
        </div>
      ) : (
        <JsonDiff before={args} after={edited_args} label="Edited arguments" />
      )}
    </div>
  );
}
