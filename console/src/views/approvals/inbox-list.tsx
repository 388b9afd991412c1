import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { InboxItem } from '../../decisions/inbox.js';
import { ABOVE_PX, useHeldItem } from './use-held-item.js';

const ESTIMATE_PX = 340;
const CLOSED_PX = 45;
const GAP_PX = 12;
/** No open item is shorter. */
const LEAST_PX = 150;
/** Frames to wait for the selected item to be drawn. */
const DRAWING_FRAMES = 60;

interface InboxListProps {
  items: readonly InboxItem[];
  /** Index of the selected item; -1 for none. */
  active: number;
  /** Increases when a key moves the selection: the list then shows and focuses the selected item. */
  moves: number;
  /** Increases when a link led to the selection: the item then moves to the top of the window. */
  links: number;
  /** Whether something changed a moment ago, so decisions are not accepted yet. */
  isSettling: boolean;
  children: (item: InboxItem, index: number) => ReactNode;
}

/** The items, of which only the visible ones are drawn. It scrolls with the window. */
export function InboxList({ items, active, moves, links, isSettling, children }: InboxListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => (items[index]!.outcome === null ? ESTIMATE_PX : CLOSED_PX),
    getItemKey: (index) => items[index]!.key,
    gap: GAP_PX,
    overscan: 2,
    scrollMargin: top,
    scrollPaddingStart: ABOVE_PX,
    scrollPaddingEnd: ABOVE_PX,
    // Room to scroll the last item to the top.
    paddingEnd: links > 0 ? window.innerHeight - LEAST_PX : 0,
  });
  const shown = useRef(0);
  const linked = useRef(0);
  const { hold, isHolding } = useHeldItem(list, setTop);
  useEffect(() => {
    const isMoved = moves !== shown.current;
    // Items that arrive above the held one change its index.
    if (active < 0 || !(isMoved || isHolding())) return;
    if (isMoved) hold(links !== linked.current);
    [shown.current, linked.current] = [moves, links];
    virtual.scrollToIndex(active, { align: isHolding() ? 'start' : 'auto' });
    let frames = 0;
    let next = requestAnimationFrame(function look() {
      const article = list.current?.querySelector<HTMLElement>(`[data-index="${active}"] article`);
      // The item may not be drawn yet.
      article?.focus({ preventScroll: true });
      if (!article && ++frames < DRAWING_FRAMES) next = requestAnimationFrame(look);
    });
    return () => cancelAnimationFrame(next);
  }, [moves, links, active, virtual, hold, isHolding]);
  return (
    <div
      ref={list}
      className="inbox"
      // A feed without articles is not a feed.
      {...(items.length > 0 && { role: 'feed', 'aria-label': 'What waits for a person' })}
      aria-busy={isSettling}
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map(({ key, index, start }) => (
        <div
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          className="slot"
          // No transform: a card's buttons are sticky to the window, which a transformed ancestor would break.
          style={{ top: start - top }}
        >
          {children(items[index]!, index)}
        </div>
      ))}
    </div>
  );
}
