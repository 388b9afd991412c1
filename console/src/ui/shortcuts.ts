import { useEffect, useRef } from 'react';

/**
 * Keys of a view, e.g. `{ j: next, k: previous, '/': search, 'Control+k': open }`. They rest while someone types, and while a dialog is open
 * that did not ask for them. `Control` also means the command key. A key that is held down repeats: what must happen once looks at `repeat`.
 */
export function useShortcuts(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const name = `${event.ctrlKey || event.metaKey ? 'Control+' : ''}${event.key}`;
      const act = current.current[name];
      if (!act || event.altKey || event.defaultPrevented || isBusy(event)) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isBusy(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey) return false;
  if (target.closest('input, textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox]'))
    return true;
  // Enter and space are the keys of what has the focus.
  return (event.key === 'Enter' || event.key === ' ') && target.closest('a, button, summary, [role=button]') !== null;
}
