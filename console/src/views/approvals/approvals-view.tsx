import { getRouteApi } from '@tanstack/react-router';
import { visibleString } from '../../lib/visible-text.js';
import { firstCallCommand } from '../../shell/try-it/commands.js';
import { TryIt } from '../../shell/try-it/try-it.js';
import { useTitle } from '../../shell/use-title.js';
import { Empty, Failure, Skeleton } from '../../ui/states.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import type { ApprovalsSearch } from './approvals-search.js';
import { ApprovalsHead } from './approvals-head.js';
import { DecidedList } from './decided-list.js';
import { isWaiting, kindOf, nextWaiting, type InboxItem } from '../../decisions/inbox.js';
import { InboxCard } from '../../decisions/inbox-card.js';
import { InboxList } from './inbox-list.js';
import { Suggestions } from '../../decisions/suggestions.js';
import { useCards } from '../../decisions/use-cards.js';
import { useInbox } from './use-inbox.js';
import { useSelection } from './use-selection.js';
import { useSettling } from '../../decisions/use-settling.js';
import './approvals.css';

const route = getRouteApi('/approvals');
const NONE: readonly InboxItem[] = [];

/** The inbox of what waits for a person: calls that need a decision, and effects in doubt. */
export function ApprovalsView() {
  useTitle('Approvals');
  const search = route.useSearch();
  const { items: all, isLoaded, error, stream, tell, reload } = useInbox();
  const isReady = isLoaded || error !== null;
  const isDecided = search.kind === 'decided';
  const items = isDecided ? NONE : all.filter((item) => isWanted(item, search));
  const { active, moves, links, choices, select, move, release } = useSelection(items, isReady);
  const current = items[active];
  const { isSettling, isUnsure } = useSettling({ items, selected: current?.key, choices }, isReady);
  const { said, propsOf, keysOf, mayDecide } = useCards({
    tell,
    isUnsure,
    onDecided: (item, byKey) => {
      const next = nextWaiting(items, items.indexOf(item));
      if (next === -1) release(item);
      else select(next, byKey);
    },
  });

  useShortcuts({ ...(isDecided ? {} : { j: () => move(1), k: () => move(-1) }), ...keysOf(current) });

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
          {isLoaded && mayDecide && <Suggestions agents={agentsOf(all, search.agent)} />}
          <InboxList items={items} active={active} moves={moves} links={links} isSettling={isSettling}>
            {(item, index) => (
              <InboxCard
                item={item}
                position={index + 1}
                total={items.length}
                isActive={index === active}
                onSelect={() => index !== active && select(index, false)}
                {...propsOf(item)}
              />
            )}
          </InboxList>
        </>
      )}
    </div>
  );
}

/** The agents with waiting calls, or the chosen one. */
function agentsOf(items: readonly InboxItem[], chosen: string | undefined): string[] {
  if (chosen !== undefined) return [chosen];
  const waiting = items.filter((item) => isWaiting(item) && kindOf(item.subject) === 'calls');
  return [...new Set(waiting.map(({ subject }) => subject.record.agent_id))];
}

function NothingWaits({ isFiltered, wasDecided }: { isFiltered: boolean; wasDecided: boolean }) {
  if (isFiltered) return <Empty title="Nothing waits here">Other agents or kinds do: choose All.</Empty>;
  if (wasDecided)
    return <Empty title="That was the last one">Everything is decided. New requests show here at once.</Empty>;
  return (
    <Empty title="Nothing waits for you" trial={<TryIt commandOf={firstCallCommand} />}>
      When an agent asks before it runs a tool, its request shows here at once.
    </Empty>
  );
}

function isWanted({ subject }: InboxItem, { kind, agent }: ApprovalsSearch): boolean {
  return (kind === undefined || kind === kindOf(subject)) && (agent === undefined || agent === subject.record.agent_id);
}
