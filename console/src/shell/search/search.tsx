import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.js';
import { useShortcuts } from '../../ui/shortcuts.js';

// Most visits never open it.
const SearchDialog = lazy(async () => ({ default: (await import('./search-dialog.js')).SearchDialog }));
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.js')).KeysDialog }));

/** The button of the search, and its keys `Ctrl K` (or the command key) anywhere. */
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
  /** From now on the field takes the keys. Answers what was typed so far; nothing the second time. */
  end: () => string;
}

/** Keeps what is typed from the press on until the field is there: its code may still be on the way. */
function useEarlyKeys(isOpen: boolean, onEscape: () => void): EarlyKeys {
  const typed = useRef<string | null>(null);
  const escape = useRef(onEscape);
  useEffect(() => {
    escape.current = onEscape;
  });
  // Before the field has the focus, which ends it: once its code is there, both are of one commit.
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
