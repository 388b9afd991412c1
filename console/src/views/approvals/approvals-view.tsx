import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { visibleString } from '../../lib/visible-text.js';
import { useSession } from '../../session/session.js';
import { firstCallCommand } from '../../shell/try-it/commands.js';
import { TryIt } from '../../shell/try-it/try-it.js';
import { useTitle } from '../../shell/use-title.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import type { ApprovalsSearch } from './approvals-search.js';
import { ApprovalsHead } from './approvals-head.js';
import { withRefused } from './calls-card.js';
import { DecidedList } from './decided-list.js';
import { EMPTY_DRAFT, type Draft } from './draft.js';
import { isWaiting, type InboxItem } from './inbox.js';
import { InboxCard } from './inbox-card.js';
import { keysOf } from './inbox-keys.js';
import { InboxList } from './inbox-list.js';
import { useDecide, type Act } from './use-decide.js';
import { useInbox } from './use-inbox.js';
import { useSelection } from './use-selection.js';
import { useSettling } from './use-settling.js';
import './approvals.css';

const route = getRouteApi('/approvals');
const NONE: readonly InboxItem[] = [];

/** The inbox of what waits for a person: calls that need a decision, and effects in doubt. */
export function ApprovalsView() {
  useTitle('Approvals');
  const search = route.useSearch();
  const { items: all, isLoaded, error, stream, tell, reload } = useInbox();
  const session = useSession();
  const mayDecide = session.at !== 'in' || session.session?.scope !== 'reader';
  const { busy, faults, said, act } = useDecide(tell);
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Draft>>(new Map());
  const [editing, setEditing] = useState<{ key: string; index: number } | null>(null);
  const isReady = isLoaded || error !== null;
  const isDecided = search.kind === 'decided';
  const items = isDecided ? NONE : all.filter((item) => isWanted(item, search));
  const { active, moves, choices, select, move, release } = useSelection(items, isReady);
  const current = items[active];
  const { isSettling, isUnsure } = useSettling({ items, selected: current?.key, choices }, isReady);

  const draftOf = (item: InboxItem) => drafts.get(item.key) ?? EMPTY_DRAFT;
  const keep = (item: InboxItem, draft: Draft) => setDrafts((before) => new Map(before).set(item.key, draft));
  const decide = async (item: InboxItem, wanted: Act, byKey: boolean) => {
    if (!mayDecide || !isWaiting(item)) return;
    if (!(await act(item, draftOf(item), wanted, { byKey, isUnsure: isUnsure(item, byKey) }))) return;
    setEditing(null);
    const next = nextWaiting(items, items.indexOf(item));
    if (next === -1) release(item);
    else select(next, byKey);
  };

  useShortcuts({
    ...(isDecided ? {} : { j: () => move(1), k: () => move(-1) }),
    ...(current && isWaiting(current) && mayDecide
      ? keysOf(current, {
          act: (wanted) => void decide(current, wanted, true),
          refuse: (index) => keep(current, withRefused(draftOf(current), index, !draftOf(current).refused.has(index))),
          edit: (index) => setEditing({ key: current.key, index }),
        })
      : {}),
  });

  const waiting = items.filter(isWaiting).length;
  return (
    <div className="approvals">
      <ApprovalsHead items={all} search={search} stream={stream} onClear={() => tell({ type: 'clear' })} />
      <p className="unseen" role="status">
        {visibleString(said)}
      </p>
      {isDecided ? (
        <DecidedList agent={search.agent} />
      ) : (
        <>
          {error !== null && !isLoaded ? (
            <Failure error={error} onRetry={reload} />
          ) : (
            !isLoaded && <Skeleton lines={9} />
          )}
          {isLoaded && waiting === 0 && <NothingWaits isFiltered={all.some(isWaiting)} wasDecided={all.length > 0} />}
          <InboxList items={items} active={active} moves={moves} isSettling={isSettling}>
            {(item, index) => (
              <InboxCard
                item={item}
                position={index + 1}
                total={items.length}
                isActive={index === active}
                onSelect={() => index !== active && select(index, false)}
                draft={draftOf(item)}
                onDraft={(draft) => keep(item, draft)}
                onAct={(wanted) => void decide(item, wanted, false)}
                isBusy={busy.has(item.key)}
                fault={faults.get(item.key)}
                mayDecide={mayDecide}
                editing={editing?.key === item.key ? editing.index : null}
                onEdit={(at) => setEditing(at === null ? null : { key: item.key, index: at })}
              />
            )}
          </InboxList>
        </>
      )}
    </div>
  );
}

function NothingWaits({ isFiltered, wasDecided }: { isFiltered: boolean; wasDecided: boolean }) {
  if (isFiltered) return <Empty title="Nothing here waits">Other agents or kinds wait: choose All.</Empty>;
  if (wasDecided)
    return <Empty title="That was the last one">Every call is decided. New ones show here at once.</Empty>;
  return (
    <Empty title="Nothing waits for you" trial={<TryIt commandOf={firstCallCommand} />}>
      When an agent asks before it runs a tool, its call shows here at once, with what led to it.
    </Empty>
  );
}

function isWanted({ subject }: InboxItem, { kind, agent }: ApprovalsSearch): boolean {
  return (kind === undefined || kind === subject.kind) && (agent === undefined || agent === subject.record.agent_id);
}

function nextWaiting(items: readonly InboxItem[], from: number): number {
  const after = items.findIndex((item, index) => index > from && isWaiting(item));
  return after === -1 ? items.findIndex((item, index) => index !== from && isWaiting(item)) : after;
}
