import { useEffect, useRef } from 'react';

/**
 * Keys of a view, e.g. `{ j: next, k: previous, '/': search, 'Control+k': open }`. They are inactive while someone types or scrolls, and
 * within dialogs, menus and lists unless `where` is `everywhere`. `Control` also means the command key. A key that is held down repeats;
 * check `repeat` for actions that must happen once.
 */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>, where: Where = 'view'): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const name = `${event.ctrlKey || event.metaKey ? 'Control+' : ''}${event.key}`;
      const act = current.current[name];
      if (!act || event.altKey || event.defaultPrevented || isBusy(event, where)) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [where]);
}

type Where = 'view' | 'everywhere';

function isBusy(event: KeyboardEvent, where: Where): boolean {
  const target = event.target as HTMLElement;
  if (where === 'view' && target.closest('[role=dialog], [role=menu], [role=listbox]')) return true;
  if (event.ctrlKey || event.metaKey) return false;
  if (target.closest('input, textarea, select, [contenteditable]')) return true;
  if (isScrolling(event.key, target)) return true;
  // Enter and space belong to the focused element.
  return (event.key === 'Enter' || event.key === ' ') && target.closest('a, button, summary, [role=button]') !== null;
}

const SCROLLING: Record<string, 'x' | 'y'> = {
  ...{ ArrowLeft: 'x', ArrowRight: 'x' },
  ...{ ArrowUp: 'y', ArrowDown: 'y', Home: 'y', End: 'y' },
};

/** Whether the key scrolls a focused element, e.g. a wide table, which has no other way to scroll. */
function isScrolling(key: string, target: HTMLElement): boolean {
  const axis = SCROLLING[key];
  if (axis === undefined) return false;
  for (let at: HTMLElement | null = target; at && at !== document.body; at = at.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(at);
    const isWide = axis === 'x' ? at.scrollWidth > at.clientWidth : at.scrollHeight > at.clientHeight;
    if (isWide && /auto|scroll/.test(axis === 'x' ? overflowX : overflowY)) return true;
  }
  return false;
}
