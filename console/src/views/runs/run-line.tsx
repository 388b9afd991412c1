import { Link } from '@tanstack/react-router';
import { memo, useEffect, useRef, type ReactNode } from 'react';
import { isAtRest } from '../../../../src/common/contract/run-status.js';
import { formatCost, formatCount, formatDuration } from '../../lib/format.js';
import { visibleString } from '../../lib/visible-text.js';
import { classes } from '../../ui/classes.js';
import { mayManage, useSession } from '../../session/session.js';
import { Conditions, Status, toneOf } from '../../ui/status.js';
import { nameOfId, ShortId } from '../../ui/short-id.js';
import { Age, Elapsed } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import type { Gone } from './run-list.js';
import type { RunRow } from './run-row.js';

interface RunLineProps {
  id: string;
  /** Absent while it is being refetched. */
  row: RunRow | undefined;
  index: number;
  /** In px from the top of the list. */
  top: number;
  gone: Gone | undefined;
  isNew: boolean;
  isCurrent: boolean;
  isTabStop: boolean;
  wantsFocus: boolean;
  onFocused: (id: string) => void;
}

/** One thread. Its link covers the row, so a row opens in a new tab like any link. */
export const RunLine = memo(function RunLine(props: RunLineProps) {
  const { id, row, index, top, gone, isNew, isCurrent, isTabStop, wantsFocus, onFocused } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (wantsFocus) link.current?.focus({ preventScroll: true });
  }, [wantsFocus]);
  return (
    <div
      className={classes('line', gone && 'gone', isNew && 'new', isCurrent && 'current')}
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="cell" className="id">
        <Link
          ref={link}
          to="/threads/$threadId"
          params={{ threadId: id }}
          preload={false}
          tabIndex={isTabStop ? 0 : -1}
          title={visibleString(id)}
          aria-label={nameOfId(id)}
          onFocus={() => onFocused(id)}
        >
          <ShortId id={id} />
        </Link>
      </span>
      {row ? (
        <Cells row={row} gone={gone} isTabStop={isTabStop} />
      ) : (
        <span role="cell" className="said" aria-busy="true" />
      )}
    </div>
  );
});

const GONE: Record<Gone, string> = { left: 'no longer matches', deleted: 'deleted' };

function Cells({ row, gone, isTabStop }: { row: RunRow; gone: Gone | undefined; isTabStop: boolean }) {
  const isOpen = !isAtRest(row.status);
  const [agent = '', ...others] = row.agents;
  return (
    <>
      <span role="cell" className="state">
        {gone ? <Status status={GONE[gone]} tone="off" /> : <Status status={row.status} />}
        {!gone && <Conditions isSilent={row.isSilent} isInDoubt={row.isInDoubt} />}
        {row.waiting > 0 && row.status !== 'waiting_for_approval' && (
          <span className="waiting" title={`${row.waiting} waiting for approval`}>
            {row.waiting}
            <span className="unseen"> waiting for approval</span>
          </span>
        )}
      </span>
      <span role="cell" className="by cut" title={visibleString(row.agents.join(', '))}>
        <VisibleText text={agent} isValue />
        {others.length > 0 && <span className="others"> +{others.length}</span>}
      </span>
      <Said row={row}>{!gone && <Remedies row={row} isTabStop={isTabStop} />}</Said>
      <span role="cell" className="model cut" title={visibleString(row.model)}>
        {row.model === '' ? '—' : <VisibleText text={row.model} isValue />}
      </span>
      <span role="cell" className="duration num">
        {isOpen ? (
          <Elapsed from={row.startedAt} />
        ) : (
          formatDuration(Date.parse(row.updatedAt) - Date.parse(row.startedAt))
        )}
      </span>
      <span role="cell" className="step num">
        {formatCount(row.step)}
      </span>
      <span role="cell" className="tokens num">
        {formatCount(row.tokens)}
      </span>
      <span role="cell" className="cost num">
        {formatCost(row.costUsd)}
        <Budget row={row} />
      </span>
      <span role="cell" className="changed num">
        <Age time={row.updatedAt} />
      </span>
    </>
  );
}

/** Remedies for a stuck run: they lead to the thread, where a person confirms. */
function Remedies({ row: { id, status, isSilent, isInDoubt }, isTabStop }: { row: RunRow; isTabStop: boolean }) {
  const mayAct = mayManage(useSession());
  if (!isSilent && !isInDoubt) return null;
  const act = isAtRest(status) ? ('retry' as const) : ('cancel' as const);
  const shared = {
    to: '/threads/$threadId',
    params: { threadId: id },
    preload: false,
    tabIndex: isTabStop ? 0 : -1,
  } as const;
  return (
    <span className="remedies">
      {isInDoubt && (
        <Link {...shared} aria-label={`Settle the calls of ${visibleString(id)}`}>
          Settle
        </Link>
      )}
      {mayAct && (
        <Link {...shared} search={{ act }} aria-label={`${ACTS[act]} the run of ${visibleString(id)}`}>
          {ACTS[act]}
        </Link>
      )}
    </span>
  );
}

const ACTS = { cancel: 'Cancel', retry: 'Retry' };

/** The error of a failed thread, otherwise its last text. */
function Said({ row: { error, said, status }, children }: { row: RunRow; children: ReactNode }) {
  const failure = toneOf(status) === 'bad' ? error : null;
  const text = failure ?? said?.text ?? '';
  return (
    <span role="cell" className={classes('said cut', failure !== null && 'failed')} title={visibleString(text)}>
      {children}
      {failure === null && said && said.role !== 'assistant' && <span className="role">{said.role}</span>}
      <VisibleText text={text} />
    </span>
  );
}

/** How much of the latest run's budget is used. */
function Budget({ row: { budgetUsd, runCostUsd, isNearBudget, status } }: { row: RunRow }) {
  if (budgetUsd <= 0) return <span className="budget none" />;
  const used = Math.min(100, Math.round((100 * runCostUsd) / budgetUsd));
  const tone = status === 'budget_exceeded' || used >= 100 ? 'over' : isNearBudget || used >= 80 ? 'near' : '';
  return (
    <span
      className={classes('budget', tone)}
      title={`${formatCost(runCostUsd)} of the budget of ${formatCost(budgetUsd)} in the latest run`}
    >
      <span className="unseen">{used} % of the budget</span>
      <span className="used" aria-hidden="true" style={{ width: `${used}%` }} />
    </span>
  );
}
