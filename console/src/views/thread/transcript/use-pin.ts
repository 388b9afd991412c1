import { useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react';
import { useThread } from '../data/thread-context.js';
import type { Find } from './transcript-find.js';
import { rowAt, type TranscriptRow } from './transcript-rows.js';

/** What stays in view while rows above it load or grow, until the person scrolls: the end, or a message's row. */
export type Pin = 'end' | { index: number } | null;

interface PinOptions {
  rows: readonly TranscriptRow[];
  stepKey: string;
  scroller: RefObject<HTMLDivElement | null>;
  find: Find;
  offsetOf: (row: number) => number | undefined;
}

/** Scrolls to what is new when another step is selected, to the end while the view follows, and to search matches. */
export function usePin({ rows, stepKey, scroller, find, offsetOf }: PinOptions): RefObject<Pin> {
  const { isFollowing } = useThread();
  const pin = useRef<Pin>('end');
  const shown = useRef({ stepKey, isFollowing });
  useLayoutEffect(() => {
    const { stepKey: former, isFollowing: wasFollowing } = shown.current;
    if (former === stepKey && wasFollowing === isFollowing) return;
    shown.current = { stepKey, isFollowing };
    // A new step moves nothing for someone who has scrolled away.
    if (isFollowing) pin.current = wasFollowing ? pin.current : 'end';
    else pin.current = { index: rows.find(({ isNew }) => isNew)?.index ?? rows.at(-1)?.index ?? 0 };
  });
  const foundIndex = find.current === null ? null : (rows[find.current]?.index ?? null);
  useLayoutEffect(() => {
    if (foundIndex !== null) pin.current = { index: foundIndex };
  }, [foundIndex, find.visits]);
  const keep = useEffectEvent(() => {
    const element = scroller.current;
    if (!element || pin.current === null || rows.length === 0) return;
    const end = element.scrollHeight - element.clientHeight;
    const top = pin.current === 'end' ? end : Math.min(end, offsetOf(rowAt(rows, pin.current.index)) ?? 0);
    if (Math.abs(element.scrollTop - top) > 1) element.scrollTo({ top, behavior: 'instant' });
  });
  useLayoutEffect(() => keep());
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // Other parts of the page load and grow too, and rows are measured after they are drawn.
    const sizes = new ResizeObserver(() => keep());
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    return () => sizes.disconnect();
  }, [scroller]);
  return pin;
}
