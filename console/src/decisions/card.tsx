import type { ReactNode } from 'react';
import { asTyped } from '../lib/as-typed.js';
import { formatDuration, formatExact } from '../lib/format.js';
import { Button } from '../ui/button.js';
import { Command } from '../ui/states.js';
import { useNow } from '../ui/now.js';
import { Age } from '../ui/time.js';
import { VisibleText } from '../ui/visible-text.js';
import type { Draft } from './draft.js';
import type { Act } from './use-decide.js';

export interface CardProps {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  onAct: (act: Act) => void;
  isActive: boolean;
  isBusy: boolean;
  /** Why the last action failed. */
  fault: string | undefined;
  /** False for a read-only session. */
  mayDecide: boolean;
  /** Whether the card is shown within its thread, so it need not show or link the thread. */
  isInThread?: boolean;
}

export function CardHead({ agent, since, children }: { agent: string; since: string; children: ReactNode }) {
  return (
    <header className="ask-head">
      <h2>
        <b>
          <VisibleText text={agent} isValue />
        </b>{' '}
        {children}
      </h2>
      <span className="age">
        <Age time={since} suffix="ago" />
      </span>
    </header>
  );
}

/** The time left until the server rejects an undecided call. */
export function Expires({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return null;
  const left = Date.parse(at) - now;
  return (
    <span className={left < 60_000 ? 'expires soon' : 'expires'} title={formatExact(at)}>
      {left > 0 ? `expires in ${formatDuration(Math.max(1_000, left))}` : 'expired'}
    </span>
  );
}

interface CardActionsProps extends CardProps {
  approveLabel: string;
  rejectLabel: string;
  /** Replaces the first button if a person may not press it. */
  insteadOfApprove?: ReactNode;
  /** What the two buttons do, and their keys. */
  acts?: readonly [Act, Act];
  keys?: readonly [string, string] | undefined;
  /** False if the agent does not accept a rejection. */
  canReject?: boolean;
  reasonLabel?: string;
}

/** The decision: two buttons within a thumb's reach, and a reason. */
export function CardActions(props: CardActionsProps) {
  const { draft, onDraft, onAct, isActive, isBusy, fault, mayDecide, approveLabel, rejectLabel } = props;
  const {
    insteadOfApprove,
    acts = ['approve', 'reject'],
    keys = ['a', 'r'],
    canReject = true,
    reasonLabel = 'Reason, shown to the agent (optional)',
  } = props;
  if (!mayDecide) return <ReadOnly />;
  return (
    <footer className="actions">
      {insteadOfApprove ?? (
        <Button kind="main" isDisabled={isBusy} hint={isActive ? keys[0] : undefined} onPress={() => onAct(acts[0])}>
          {approveLabel}
        </Button>
      )}
      {canReject && (
        <Button kind="danger" isDisabled={isBusy} hint={isActive ? keys[1] : undefined} onPress={() => onAct(acts[1])}>
          {rejectLabel}
        </Button>
      )}
      <input
        className="reason"
        aria-label={reasonLabel}
        placeholder={reasonLabel}
        maxLength={4_000}
        autoComplete="off"
        value={draft.reason}
        onChange={(event) => onDraft({ ...draft, reason: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {fault !== undefined && (
        <p className="fault" role="alert">
          <VisibleText text={fault} />
        </p>
      )}
    </footer>
  );
}

function ReadOnly() {
  return (
    <footer className="actions read-only">
      <p>This session may only read. Sign in with a link that may decide:</p>
      <Command text={asTyped('open --scope approver')} />
    </footer>
  );
}
