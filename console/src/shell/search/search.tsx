import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.js';
import { useShortcuts } from '../../ui/shortcuts.js';

// Loaded lazily: most visits never open it.
const SearchDialog = lazy(async () => ({ default: (await import('./search-dialog.js')).SearchDialog }));
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.js')).KeysDialog }));

/** The search button, and its keys `Ctrl K` (or the command key) anywhere. */
export function Search() {
  const [isOpen, setOpen] = useState(false);
  const [isHelping, setHelping] = useState(false);
  const early = useEarlyKeys(isOpen, () => setOpen(false));
  useShortcuts({ 'Control+k': () => setOpen(true) }, 'everywhere');
  useShortcuts({ '?': () => setHelping(true) });
  return (
    <>
      <Button className="search-button" icon="search" onPress={() => setOpen(true)} hint="Ctrl K">
        <span className="search-word">Search</span>
      </Button>
      {isOpen && (
        <Suspense>
          <SearchDialog early={early} onClose={() => setOpen(false)} onHelp={() => setHelping(true)} />
        </Suspense>
      )}
      {isHelping && (
        <Suspense>
          <KeysDialog onClose={() => setHelping(false)} />
        </Suspense>
      )}
    </>
  );
}

export interface EarlyKeys {
  /** Hands the keys over to the field. Returns the text typed so far; the second time, nothing. */
  end: () => string;
}

/** Collects what is typed after the press until the field exists: its code may still be loading. */
function useEarlyKeys(isOpen: boolean, onEscape: () => void): EarlyKeys {
  const typed = useRef<string | null>(null);
  const escape = useRef(onEscape);
  useEffect(() => {
    escape.current = onEscape;
  });
  // Runs before the field takes the focus, which ends it: once the code is loaded, both happen in one commit.
  useLayoutEffect(() => {
    if (!isOpen) return;
    typed.current = '';
    const onKey = (event: KeyboardEvent) => {
      if (typed.current === null || event.ctrlKey || event.metaKey || event.altKey || event.key === 'Tab') return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === 'Escape') escape.current();
      else if (event.key === 'Backspace') typed.current = typed.current.slice(0, -1);
      else if (event.key.length === 1) typed.current += event.key;
    };
    window.addEventListener('keydown', onKey, true);
    return () => {
      typed.current = null;
      window.removeEventListener('keydown', onKey, true);
    };
  }, [isOpen]);
  const [keys] = useState<EarlyKeys>(() => ({
    end: () => {
      const text = typed.current ?? '';
      typed.current = null;
      return text;
    },
  }));
  return keys;
}
