import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatCount } from '../lib/format.js';
import { diffTexts } from '../lib/json-diff.js';
import { Button } from '../ui/button.js';
import { classes } from '../ui/classes.js';
import { DiffLines } from '../ui/json-diff.js';
import { Icon } from '../ui/icon.js';
import { Status } from '../ui/status.js';
import { VisibleText } from '../ui/visible-text.js';
import { isQuestion } from './answers.js';
import { CallView } from './call-view.js';
import { CardActions, CardHead, Expires, type CardProps } from './card.js';
import { Conversation } from './conversation.js';
import {
  allows,
  argumentsText,
  canDecidePerCall,
  canReject,
  canSayYes,
  yesOf,
  type Call,
  type Draft,
} from './draft.js';
import type { Approval } from './inbox.js';
import { QuestionCall } from './question-view.js';

/** Calls shown at first; an approval may have thousands. */
const CALLS_SHOWN = 20;

interface CallsCardProps extends CardProps {
  approval: Approval;
  changedFrom: Approval | null;
  /** The call whose arguments are being edited. */
  editing: number | null;
  onEdit: (index: number | null) => void;
}

/** Waiting tool calls: exactly what would run, what led to it, and the decision. */
export function CallsCard(props: CallsCardProps) {
  const { approval, changedFrom, draft, onDraft, mayDecide, editing, onEdit } = props;
  const [shown, setShown] = useState(CALLS_SHOWN);
  const { tool_calls: calls, agent_id, created_at, expires_at } = approval;
  const isPerCall = canDecidePerCall(approval);
  const refusable = (call: Call) =>
    isPerCall && mayDecide && allows(call, 'reject')
      ? (isRefused: boolean) => onDraft(withRefused(draft, call.index, isRefused))
      : undefined;
  return (
    <>
      <CardHead agent={agent_id} since={created_at}>
        <Wants calls={calls} />
        {isPerCall && <Status status="per call" tone="wait" />}
        <Expires at={expires_at} />
      </CardHead>
      {changedFrom && <Changed before={changedFrom} after={approval} />}
      <div className={classes('columns', !props.isInThread && 'with-talk')}>
        <div className="decision">
          <div className="calls">
            {calls
              .slice(0, shown)
              .map((call) =>
                isQuestion(call) ? (
                  <QuestionCall
                    key={call.index}
                    call={call}
                    draft={draft}
                    onDraft={onDraft}
                    isRefused={draft.refused.has(call.index)}
                    onRefused={refusable(call)}
                    mayDecide={mayDecide}
                  />
                ) : (
                  <CallView
                    key={call.index}
                    approval={approval}
                    call={call}
                    isAlone={calls.length === 1}
                    isRefused={draft.refused.has(call.index)}
                    onRefused={refusable(call)}
                    edit={draft.edits.get(call.index)}
                    isEditing={editing === call.index}
                    onEdit={(text) => onDraft(withEdit(draft, call.index, text))}
                    onEditing={(isEditing) => onEdit(isEditing ? call.index : null)}
                    mayDecide={mayDecide}
                  />
                ),
              )}
            {calls.length > shown && (
              <Button icon="down" onPress={() => setShown(calls.length)}>
                {`Show all ${formatCount(calls.length)} calls`}
              </Button>
            )}
            {calls.length > 1 && !isPerCall && (
              <p className="faint">This agent takes one decision for all these calls.</p>
            )}
          </div>
          <CardActions
            {...props}
            approveLabel={yesLabel(approval, draft)}
            insteadOfApprove={insteadOfYes(approval)}
            rejectLabel={rejectLabel(approval)}
            acts={[yesOf(approval), 'reject']}
            keys={approval.kind === 'question' ? ['Ctrl Enter', 'r'] : undefined}
            canReject={canReject(approval)}
          />
        </div>
        {!props.isInThread && <Conversation approval={approval} />}
      </div>
    </>
  );
}

/** What the agent wants, following its name. */
function Wants({ calls }: { calls: readonly Call[] }) {
  const asking = calls.filter(isQuestion);
  const questions = asking.flatMap((call) => call.questions).length;
  const asks = `asks ${questions === 1 ? 'a question' : `${formatCount(questions)} questions`}`;
  const count = calls.length - asking.length;
  if (count === 0) return asks;
  if (questions > 0) return `${asks}, and wants to run ${count === 1 ? 'a call' : `${formatCount(count)} calls`}`;
  if (count > 1) return `wants to run ${formatCount(count)} calls`;
  return (
    <>
      wants to run{' '}
      <code>
        <VisibleText text={calls[0]!.name ?? 'a tool'} isValue />
      </code>
    </>
  );
}

function insteadOfYes(approval: Approval) {
  if (approval.tool_calls_cut) return <CannotApprove approval={approval} />;
  return canSayYes(approval) ? undefined : (
    <p className="cannot-approve">The agent takes no approval of this, only a rejection.</p>
  );
}

/** People cannot see what they would approve. */
function CannotApprove({ approval: { thread_id, trace_id, attempt, step } }: { approval: Approval }) {
  return (
    <p className="cannot-approve">
      <Icon name="warning" /> These calls are too large to show, so you cannot approve them here. Read them in{' '}
      <Link
        to="/threads/$threadId"
        params={{ threadId: thread_id }}
        search={{ run: trace_id, step: `${attempt}-${step}`, tab: 'raw' }}
      >
        the step as JSON
      </Link>
      , then approve them through the API, or reject them.
    </p>
  );
}

function yesLabel({ kind, tool_calls }: Approval, { refused, edits }: Draft): string {
  const { length } = tool_calls;
  if (kind === 'question') {
    const runs = tool_calls.filter((call) => !isQuestion(call) && !refused.has(call.index)).length;
    return runs === 0 ? 'Answer' : `Answer and approve ${runs === 1 ? 'the call' : `${formatCount(runs)} calls`}`;
  }
  if (refused.size > 0) return `Approve ${length - refused.size} of ${length}`;
  return `Approve${length > 1 ? ' all' : ''}${edits.size > 0 ? ' with the edit' : ''}`;
}

function rejectLabel({ kind, tool_calls }: Approval): string {
  if (kind === 'question') return tool_calls.every(isQuestion) ? 'Decline' : 'Decline all';
  return tool_calls.length === 1 ? 'Reject' : 'Reject all';
}

/** The agent asked again with other calls before anybody decided. */
function Changed({ before, after }: { before: Approval; after: Approval }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="changed" role="alert">
      <Icon name="warning" />
      <p>
        <strong>The agent changed its calls while they waited.</strong> These are the new ones.{' '}
        <button type="button" className="as-link" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide what differs' : 'Show what differs'}
        </button>
      </p>
      {open && <DiffLines lines={diffTexts(textOf(before), textOf(after))} label="What differs" />}
    </div>
  );
}

function textOf({ tool_calls }: Approval): string {
  return tool_calls
    .map((call) => `${call.name ?? 'tool'}\n${argumentsText(isQuestion(call) ? call.raw : call.args)}`)
    .join('\n');
}

export function withRefused(draft: Draft, index: number, isRefused: boolean): Draft {
  const refused = new Set(draft.refused);
  if (isRefused) refused.add(index);
  else refused.delete(index);
  return { ...draft, refused };
}

/** @param text undefined for the original arguments */
function withEdit(draft: Draft, index: number, text: string | undefined): Draft {
  const edits = new Map(draft.edits);
  if (text === undefined) edits.delete(index);
  else edits.set(index, text);
  return { ...draft, edits };
}
