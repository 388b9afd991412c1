import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { InboxItem } from '../../decisions/inbox.js';
import { ABOVE_PX, useHeldItem } from './use-held-item.js';

const ESTIMATE_PX = 340;
const CLOSED_PX = 45;
const GAP_PX = 12;
/** No open item is lower. */
const LEAST_PX = 150;
/** An item that has to be drawn first is drawn after so many frames. */
const DRAWING_FRAMES = 60;

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
  const { hold, isHolding } = useHeldItem(list, setTop);
  useEffect(() => {
    const isMoved = moves !== shown.current;
    // What comes above the item that is held gives it another index.
    if (active < 0 || !(isMoved || isHolding())) return;
    if (isMoved) hold(links !== linked.current);
    [shown.current, linked.current] = [moves, links];
    virtual.scrollToIndex(active, { align: isHolding() ? 'start' : 'auto' });
    let frames = 0;
    let next = requestAnimationFrame(function look() {
      const article = list.current?.querySelector<HTMLElement>(`[data-index="${active}"] article`);
      // It may have to be drawn first.
      article?.focus({ preventScroll: true });
      if (!article && ++frames < DRAWING_FRAMES) next = requestAnimationFrame(look);
    });
    return () => cancelAnimationFrame(next);
  }, [moves, links, active, virtual, hold, isHolding]);
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
