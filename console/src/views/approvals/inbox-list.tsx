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
/** An item that has to be drawn first is drawn after so many frames. */
const DRAWING_FRAMES = 90;
/** So long what loads above an item that a link led to may not push it away. */
const HOLD_MS = 10_000;
/** What a person does ends that, too. */
const OWN_ACTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

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
  /** Stands at the top of the window, whatever grows above it; null for none. */
  const held = useRef<number | null>(null);
  useEffect(() => {
    if (moves === shown.current || active < 0) return;
    shown.current = moves;
    const isLinked = links !== linked.current;
    linked.current = links;
    held.current = isLinked ? active : null;
    virtual.scrollToIndex(active, { align: isLinked ? 'start' : 'auto' });
    let frames = 0;
    let next = requestAnimationFrame(function look() {
      const article = slotIn(list.current, active)?.querySelector('article');
      article?.focus({ preventScroll: true });
      if (held.current !== null) hold(list.current, held.current);
      if (!article && ++frames < DRAWING_FRAMES) next = requestAnimationFrame(look);
    });
    const timer = setTimeout(() => (held.current = null), HOLD_MS);
    return () => {
      cancelAnimationFrame(next);
      clearTimeout(timer);
    };
  }, [moves, links, active, virtual]);
  useLayoutEffect(() => {
    // It grows with everything that grows above the items, and with them.
    const view = list.current!.parentElement!;
    const observer = new ResizeObserver(() => {
      setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
      if (held.current !== null) hold(list.current, held.current);
    });
    observer.observe(view);
    const release = () => (held.current = null);
    for (const name of OWN_ACTS) window.addEventListener(name, release, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      for (const name of OWN_ACTS) window.removeEventListener(name, release, { capture: true });
    };
  }, []);
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

function slotIn(list: HTMLElement | null, index: number): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null;
}

/** Brings an item back to the top of the window. */
function hold(list: HTMLElement | null, index: number): void {
  const slot = slotIn(list, index);
  const away = slot ? slot.getBoundingClientRect().top - ABOVE_PX : 0;
  if (Math.abs(away) >= 1) window.scrollBy({ top: away, behavior: 'instant' });
}
