import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { InboxItem } from '../../decisions/inbox.js';

const ESTIMATE_PX = 340;
const CLOSED_PX = 45;
const GAP_PX = 12;
/** No open item is lower. */
const LEAST_PX = 150;
/** Space above an item that was scrolled to. */
const ABOVE_PX = 12;
/** After so many frames the items above one that was scrolled to have been measured. */
const MEASURING_FRAMES = 90;

interface InboxListProps {
  items: readonly InboxItem[];
  /** Index of the selected item; -1 for none. */
  active: number;
  /** Grows when the selection moved by a key: the list then shows it, and gives it the focus. */
  moves: number;
  /** Grows when a link led to the selection: it then stands at the top of the window. */
  links: number;
  /** Whether something changed a moment ago, so that decisions are not taken yet. */
  isSettling: boolean;
  children: (item: InboxItem, index: number) => ReactNode;
}

/** The items, of which only those in sight are drawn. It scrolls with the window. */
export function InboxList({ items, active, moves, links, isSettling, children }: InboxListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, [items.length]);
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => (items[index]!.outcome === null ? ESTIMATE_PX : CLOSED_PX),
    getItemKey: (index) => items[index]!.key,
    gap: GAP_PX,
    overscan: 2,
    scrollMargin: top,
    scrollPaddingStart: ABOVE_PX,
    scrollPaddingEnd: ABOVE_PX,
    // Room for the last item to stand at the top.
    paddingEnd: links > 0 ? window.innerHeight - LEAST_PX : 0,
  });
  const shown = useRef(0);
  const linked = useRef(0);
  useEffect(() => {
    if (moves === shown.current || active < 0) return;
    shown.current = moves;
    const isLinked = links !== linked.current;
    linked.current = links;
    virtual.scrollToIndex(active, { align: isLinked ? 'start' : 'auto' });
    // It may have to be drawn first, and what is above it moves it while it is being measured.
    let frames = 0;
    let next = requestAnimationFrame(function look() {
      const slot = list.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
      if (frames === 0) slot?.querySelector('article')?.focus({ preventScroll: true });
      const away = (slot?.getBoundingClientRect().top ?? ABOVE_PX) - ABOVE_PX;
      if (isLinked && Math.abs(away) >= 1) window.scrollBy({ top: away, behavior: 'instant' });
      frames++;
      if (isLinked && frames < MEASURING_FRAMES) next = requestAnimationFrame(look);
    });
    return () => cancelAnimationFrame(next);
  }, [moves, links, active, virtual]);
  return (
    <div
      ref={list}
      className="inbox"
      // A feed without articles is none.
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
          // No transform: the buttons of a card stick to the window, which a transformed ancestor would break.
          style={{ top: start - top }}
        >
          {children(items[index]!, index)}
        </div>
      ))}
    </div>
  );
}
