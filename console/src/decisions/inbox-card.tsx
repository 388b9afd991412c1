import { Link } from '@tanstack/react-router';
import { visibleString } from '../lib/visible-text.js';
import { classes } from '../ui/classes.js';
import { Icon } from '../ui/icon.js';
import { VisibleText } from '../ui/visible-text.js';
import { AfterDecision } from './after-decision.js';
import { CallsCard } from './calls-card.js';
import type { CardProps } from './card.js';
import { DoubtCard } from './doubt-card.js';
import { isWaiting, placeOf, type InboxItem } from './inbox.js';
import { outcomeOf } from './use-decide.js';
import './decisions.css';

interface InboxCardProps extends CardProps {
  item: InboxItem;
  /** From 1. */
  position: number;
  total: number;
  onSelect: () => void;
  editing: number | null;
  onEdit: (index: number | null) => void;
}

/** An item of the inbox; once closed, a line that says how. */
export function InboxCard({ item, position, total, onSelect, editing, onEdit, ...props }: InboxCardProps) {
  const { subject } = item;
  return (
    <article
      className={classes('ask card', props.isActive && 'active', !isWaiting(item) && 'closed')}
      data-key={item.key}
      data-place={placeOf(subject)}
      tabIndex={-1}
      aria-posinset={position}
      aria-setsize={total}
      aria-label={visibleString(titleOf(item))}
      aria-current={props.isActive}
      aria-busy={props.isBusy}
      onPointerDown={onSelect}
      onFocus={onSelect}
    >
      {!isWaiting(item) ? (
        <Closed item={item} isInThread={props.isInThread ?? false} />
      ) : subject.kind === 'calls' ? (
        <CallsCard
          {...props}
          approval={subject.record}
          changedFrom={item.changedFrom}
          editing={editing}
          onEdit={onEdit}
        />
      ) : (
        <DoubtCard
          {...props}
          effect={subject.record}
          isEditing={editing !== null}
          onEditing={(isEditing) => onEdit(isEditing ? 0 : null)}
        />
      )}
    </article>
  );
}

function Closed({ item, isInThread }: { item: InboxItem; isInThread: boolean }) {
  const { subject, outcome } = item;
  const isGone = outcome === 'gone' || outcome === null;
  const reason = isGone ? null : outcome.reason;
  return (
    <p className="outcome">
      <Icon name={isGood(item) ? 'check' : 'close'} />
      <strong>{isGone ? 'No longer waiting' : <VisibleText text={outcomeOf(outcome)} isValue />}</strong>
      <span className="cut">
        <VisibleText text={namesOf(item)} isValue /> · <VisibleText text={subject.record.agent_id} isValue />
        {reason !== null && (
          <>
            {' · “'}
            <VisibleText text={reason} />
            {'”'}
          </>
        )}
      </span>
      {!isGone && 'digest' in outcome && <AfterDecision approval={outcome} />}
      {!isGone && !isInThread && (
        <Link
          className="onward"
          to="/threads/$threadId"
          params={{ threadId: subject.record.thread_id }}
          search={{ run: subject.record.trace_id }}
        >
          Open the thread
        </Link>
      )}
    </p>
  );
}

function isGood({ outcome }: InboxItem): boolean {
  if (outcome === 'gone' || outcome === null) return false;
  return 'digest' in outcome ? outcome.status === 'approved' : outcome.state === 'completed';
}

function namesOf({ subject }: InboxItem): string {
  if (subject.kind === 'doubt') return subject.record.key;
  const names = subject.record.tool_calls.slice(0, 3).map(({ name }) => name ?? 'tool');
  return names.join(', ') + (subject.record.tool_calls.length > 3 ? ', …' : '');
}

function titleOf(item: InboxItem): string {
  return `${item.subject.record.agent_id}: ${namesOf(item)}`;
}
