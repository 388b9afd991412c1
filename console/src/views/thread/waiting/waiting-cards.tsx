import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { isWaiting, nextWaiting, placeOf, type InboxItem } from '../../../decisions/inbox.js';
import { InboxCard } from '../../../decisions/inbox-card.js';
import { useCards } from '../../../decisions/use-cards.js';
import { useSettling } from '../../../decisions/use-settling.js';
import { formatCount } from '../../../lib/format.js';
import { visibleString } from '../../../lib/visible-text.js';
import { Button } from '../../../ui/button.js';
import { useShortcuts } from '../../../ui/shortcuts.js';
import { isCardInSight, showCard } from './show-card.js';
import { useWaiting } from './use-waiting.js';
import './waiting-cards.css';

const route = getRouteApi('/threads/$threadId');
/** Cards shown at first: many runs of a thread may wait at once. */
const SHOWN = 5;

/** What waits for a person in this thread, to be decided here. Items that others decide stay visible and say so. */
export function WaitingCards() {
  const { items, tell } = useWaiting();
  const [shown, setShown] = useState(SHOWN);
  // A selected item stays selected even if somebody else decides it, so a key never decides another item.
  const [{ selected, choices }, setSelected] = useState<{ selected: string | undefined; choices: number }>({
    ...{ selected: undefined, choices: 0 },
  });
  const current = items.find(({ key }) => key === selected) ?? items.find(isWaiting);
  if (current && current.key !== selected) setSelected({ selected: current.key, choices });
  const choose = (item: InboxItem | undefined) =>
    setSelected((before) => ({ selected: item?.key, choices: before.choices + 1 }));
  const { isSettling, isUnsure } = useSettling({ items, selected: current?.key, choices }, true);
  const { said, propsOf, keysOf } = useCards({
    tell,
    isUnsure,
    onDecided: (item) => choose(items[nextWaiting(items, items.indexOf(item))]),
  });
  useShortcuts(inSight(current, keysOf(current)));
  useLinkedCard(items, (index) => {
    setShown((before) => Math.max(before, index + 1));
    choose(items[index]);
  });
  if (items.length === 0) return null;
  return (
    <>
      <p className="unseen" role="status">
        {visibleString(said)}
      </p>
      <div className="waiting-cards" role="feed" aria-label="What waits for a person" aria-busy={isSettling}>
        {items.slice(0, shown).map((item, index) => (
          <InboxCard
            key={item.key}
            item={item}
            position={index + 1}
            total={items.length}
            isActive={item.key === current?.key}
            isInThread
            onSelect={() => item.key !== current?.key && choose(item)}
            {...propsOf(item)}
          />
        ))}
      </div>
      {items.length > shown && (
        <Button icon="down" onPress={() => setShown(items.length)}>
          {`Show all ${formatCount(items.length)} that wait`}
        </Button>
      )}
    </>
  );
}

type Keys = ReturnType<ReturnType<typeof useCards>['keysOf']>;

/** A key decides only a visible item; if it is out of view, the key scrolls to it first. */
function inSight(item: InboxItem | undefined, keys: Keys): Keys {
  if (!item) return {};
  const place = placeOf(item.subject);
  return Object.fromEntries(
    Object.entries(keys).map(([name, act]) => [
      name,
      (event: KeyboardEvent) => (isCardInSight(place) ? act(event) : void showCard(place)),
    ]),
  );
}

/** Shows the item that the address names, once per address. */
function useLinkedCard(items: readonly InboxItem[], onFound: (index: number) => void): void {
  const { at } = route.useSearch();
  const [linked, setLinked] = useState<string>();
  const done = useRef<string>(undefined);
  const index = at === undefined ? -1 : items.findLastIndex(({ subject }) => placeOf(subject) === at);
  if (index !== -1 && linked !== at) {
    setLinked(at);
    onFound(index);
  }
  useEffect(() => {
    if (linked === undefined || done.current === linked) return;
    done.current = linked;
    // The router scrolls a new view to its top first.
    const frame = requestAnimationFrame(() => showCard(linked));
    return () => cancelAnimationFrame(frame);
  }, [linked]);
}
