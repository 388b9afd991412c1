import { Link } from '@tanstack/react-router';
import { useRef, type ReactNode } from 'react';
import { stringifyExact } from '../../api/exact-json.js';
import { approvalKey, effectKey } from '../../lib/inbox-key.js';
import { Button } from '../../ui/button.js';
import { Icon } from '../../ui/icon.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { Age } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import { AfterDecision } from '../../decisions/after-decision.js';
import { answerText, isQuestion, type Call, type Question } from '../../decisions/answers.js';
import type { Approval, Effect } from '../../decisions/inbox.js';
import { outcomeOf } from '../../decisions/use-decide.js';
import { useDecisions } from './use-decisions.js';

/** Characters of a call's arguments that fit on a line. */
const ARGUMENTS_SHOWN = 200;

/** Earlier decisions, newest first, each linked to its step. @param agent only this one's; undefined for all */
export function DecidedList({ agent }: { agent: string | undefined }) {
  const list = useRef<HTMLUListElement>(null);
  const { decisions, error, refetch, showEarlier, isLoading } = useDecisions(agent);
  const move = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('a.line') ?? [])];
    links[
      Math.max(0, Math.min(links.length - 1, links.indexOf(document.activeElement as HTMLAnchorElement) + by))
    ]?.focus();
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
  if (!decisions) return error ? <Failure error={error} onRetry={refetch} /> : <Skeleton lines={9} />;
  if (decisions.length === 0 && !showEarlier)
    return <Empty title="No decisions yet">Decisions stay here, with who decided and why.</Empty>;
  return (
    <>
      <ul ref={list} className="decided card" aria-label="Earlier decisions">
        {decisions.map((decision) =>
          'digest' in decision ? (
            <Decided key={approvalKey(decision)} {...decision} />
          ) : (
            <Settled key={effectKey(decision)} effect={decision} />
          ),
        )}
      </ul>
      {error && <Failure error={error} onRetry={showEarlier ?? refetch} />}
      {showEarlier && (
        <Button isDisabled={isLoading} onPress={showEarlier}>
          {isLoading ? 'Loading…' : 'Show earlier ones'}
        </Button>
      )}
    </>
  );
}

function Decided(approval: Approval) {
  const { thread_id, trace_id, attempt, step, agent_id, status, decided_at, created_at, reason, tool_calls } = approval;
  const isApproved = status === 'approved';
  return (
    <Line
      threadId={thread_id}
      search={{ run: trace_id, step: `${attempt}-${step}`, tab: 'approval' }}
      tone={isApproved ? 'done' : status === 'rejected' ? 'bad' : 'off'}
      outcome={outcomeOf(approval)}
      reason={status === 'expired' ? null : reason}
      agentId={agent_id}
      time={decided_at ?? created_at}
      after={<AfterDecision approval={approval} />}
    >
      {tool_calls.slice(0, 3).map((call) =>
        isQuestion(call) ? (
          <AnsweredCall key={call.index} call={call} />
        ) : (
          <span key={call.index} className="mono cut" data-refused={isApproved && call.decision === 'reject'}>
            <b>
              <VisibleText text={call.name ?? 'tool'} isValue />
            </b>{' '}
            {call.edited_args !== null && <i>edited </i>}
            <VisibleText text={inBrief(call.edited_args ?? call.args)} isValue />
          </span>
        ),
      )}
      {tool_calls.length > 3 && <span className="faint">and {tool_calls.length - 3} more</span>}
    </Line>
  );
}

/** The questions of a call with their answers. */
function AnsweredCall({ call: { questions, answers } }: { call: Call & { questions: Question[] } }) {
  return questions.map((question) => (
    <span key={question.id} className="cut">
      <VisibleText text={question.text.slice(0, ARGUMENTS_SHOWN)} />{' '}
      {answers && (
        <b>
          <VisibleText text={answerText(question, answers[question.id]).slice(0, ARGUMENTS_SHOWN)} isValue />
        </b>
      )}
    </span>
  ));
}

/** An effect in doubt that a person has settled. */
function Settled({ effect }: { effect: Effect }) {
  const { thread_id, trace_id, agent_id, key, args, state, settled_at, started_at, reason } = effect;
  return (
    <Line
      threadId={thread_id}
      search={{ run: trace_id, tab: 'effects' }}
      tone={state === 'completed' ? 'done' : 'off'}
      outcome={outcomeOf(effect)}
      reason={reason}
      agentId={agent_id}
      time={settled_at ?? started_at}
    >
      <span className="mono cut">
        <b>
          <VisibleText text={key} isValue />
        </b>{' '}
        <VisibleText text={inBrief(args)} isValue />
      </span>
    </Line>
  );
}

interface LineProps {
  threadId: string;
  search: { run: string; step?: string; tab: 'approval' | 'effects' };
  tone: 'done' | 'bad' | 'off';
  outcome: string;
  reason: string | null;
  agentId: string;
  time: string;
  /** Shown beside the line, which is itself a link. */
  after?: ReactNode;
  /** The calls. */
  children: ReactNode;
}

function Line({ threadId, search, tone, outcome, reason, agentId, time, after, children }: LineProps) {
  return (
    <li>
      <Link className="line" to="/threads/$threadId" params={{ threadId }} search={search}>
        <span className={`verdict ${tone}`}>
          <Icon name={tone === 'done' ? 'check' : 'close'} />
          <VisibleText text={outcome} />
        </span>
        <span className="calls">
          {children}
          {reason !== null && (
            <span className="cut">
              “<VisibleText text={reason} />”
            </span>
          )}
        </span>
        <span className="of cut">
          <VisibleText text={agentId} isValue />
        </span>
        <Age time={time} suffix="ago" />
      </Link>
      {after && <p className="after">{after}</p>}
    </li>
  );
}

function inBrief(args: unknown): string {
  return (typeof args === 'string' ? args : stringifyExact(args)).slice(0, ARGUMENTS_SHOWN);
}
