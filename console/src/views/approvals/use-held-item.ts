import { useCallback, useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

/** Space above an item that was scrolled to. */
export const ABOVE_PX = 12;
/** For this long after an item is shown, content that loads above must not push it away. */
const HOLD_MS = 10_000;
/** After this many frames without a change, everything is drawn and the list has finished its own scrolling. */
const SETTLING_FRAMES = 60;
/** A person's own action releases the item. */
const OWN_ACTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

interface HeldItem {
  /** Starts or stops holding the selected item. */
  hold: (isHeld: boolean) => void;
  isHolding: () => boolean;
}

/**
 * Keeps the selected item of a list at the top of the window, whatever grows above it: a person who follows a link must find its buttons
 * there, not another item's.
 * @param onTop called with the list's offset in the page whenever it may have changed
 */
export function useHeldItem(list: RefObject<HTMLElement | null>, onTop: (top: number) => void): HeldItem {
  const held = useRef(false);
  const settle = useRef(() => {});
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLayoutEffect(() => {
    let left = 0;
    let next = 0;
    const look = () => {
      if (held.current) bringBack(list.current!);
      next = held.current && left-- > 0 ? requestAnimationFrame(look) : 0;
    };
    settle.current = () => {
      left = SETTLING_FRAMES;
      if (next === 0) look();
    };
    const observer = new ResizeObserver(() => {
      onTop(list.current!.getBoundingClientRect().top + window.scrollY);
      settle.current();
    });
    // The parent resizes with the items and with everything above them.
    observer.observe(list.current!.parentElement!);
    const release = () => (held.current = false);
    for (const name of OWN_ACTS) window.addEventListener(name, release, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(next);
      for (const name of OWN_ACTS) window.removeEventListener(name, release, { capture: true });
    };
  }, [list, onTop]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const hold = useCallback((isHeld: boolean) => {
    held.current = isHeld;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => (held.current = false), HOLD_MS);
    settle.current();
  }, []);
  return { hold, isHolding: useCallback(() => held.current, []) };
}

/** Scrolls the selected item to the top of the window, if it is drawn. */
function bringBack(list: HTMLElement): void {
  const item = list.querySelector('article[aria-current="true"]');
  const away = item ? item.getBoundingClientRect().top - ABOVE_PX : 0;
  if (Math.abs(away) >= 1) window.scrollBy({ top: away, behavior: 'instant' });
}
