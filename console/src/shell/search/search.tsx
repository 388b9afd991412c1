import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.js';
import { useShortcuts } from '../../ui/shortcuts.js';

// Most visits never open it.
const SearchDialog = lazy(async () => ({ default: (await import('./search-dialog.js')).SearchDialog }));
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.js')).KeysDialog }));

/** The button of the search, and its keys `Ctrl K` (or the command key) anywhere. */
export function Search() {
  const [isOpen, setOpen] = useState(false);
  const [isHelping, setHelping] = useState(false);
  useShortcuts({ 'Control+k': () => setOpen(true) }, 'everywhere');
  useShortcuts({ '?': () => setHelping(true) });
  return (
    <>
      <Button className="search-button" icon="search" onPress={() => setOpen(true)} hint="Ctrl K">
        <span className="search-word">Search</span>
      </Button>
      {isOpen && (
        <Suspense>
          <SearchDialog onClose={() => setOpen(false)} onHelp={() => setHelping(true)} />
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
