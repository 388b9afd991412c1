import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type PointerEvent } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { chooseTheme } from '../../theme.js';
import { Icon } from '../../ui/icon.js';
import { Failure } from '../../ui/states.js';
import { VisibleText } from '../../ui/visible-text.js';
import type { Find } from './finds.js';
import type { EarlyKeys } from './search.js';
import { useFinds, type FindSection } from './use-finds.js';
import '../../ui/dialog.css';
import './search-dialog.css';

interface SearchDialogProps {
  /** Text typed before the field existed. */
  early: EarlyKeys;
  onClose: () => void;
  /** Opens the list of keys. */
  onHelp: () => void;
}

const ASKS = 'Threads, agents, channels, anything on this page';

/** Searches threads, views and actions while the person types; arrows and Enter choose. */
export function SearchDialog({ early, onClose, onHelp }: SearchDialogProps) {
  const [text, setText] = useState('');
  const { sections: found, error, isLoading } = useFinds(text);
  const { sections, ...hold } = useHold(text, found);
  const choose = useChoice(onClose, onHelp);
  const all = sections.flatMap(({ finds }) => finds);
  return (
    <ModalOverlay className="overlay search-overlay" isDismissable isOpen onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal search-modal">
        <Dialog aria-label="Search" className="search-dialog">
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label={ASKS} className="search-field" autoFocus>
              <Icon name="search" />
              {/* One press closes, as the field's hint says; by default it would only clear the text. */}
              <Input
                placeholder={ASKS}
                // Only from now on does the field get its own keys; earlier ones are not in its state.
                onFocus={() => setText((before) => before + early.end())}
                onKeyDownCapture={(event) => event.key === 'Escape' && !event.nativeEvent.isComposing && onClose()}
              />
              <kbd aria-hidden="true">Esc</kbd>
            </SearchField>
            {error ? <Failure error={error} /> : null}
            <div className="search-list" {...hold}>
              <Menu
                aria-label="Finds"
                className="search-finds"
                onAction={(key) => choose(all.find(({ id }) => id === key))}
                renderEmptyState={() => (
                  <p className="search-nothing">{isLoading ? '' : 'Nothing has this in its name.'}</p>
                )}
              >
                {sections.map((section) => (
                  <Section key={section.name} section={section} />
                ))}
              </Menu>
            </div>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** For this long, in ms, the list stays still under a moving pointer, so that a click hits what the person chose. */
const HELD_MS = 800;

/** Freezes the list while somebody points at it, until the text changes. */
function useHold(text: string, found: FindSection[]) {
  const [held, setHeld] = useState<{ text: string; sections: FindSection[] } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sections = held?.text === text ? held.sections : found;
  const release = () => setHeld(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  const hold = () => {
    clearTimeout(timer.current);
    if (held?.text !== text) setHeld({ text, sections });
  };
  return {
    sections,
    onPointerMove: ({ movementX, movementY, buttons }: PointerEvent) => {
      // The browser also reports a list that moved under a resting pointer.
      if (movementX === 0 && movementY === 0) return;
      hold();
      if (buttons === 0) timer.current = setTimeout(release, HELD_MS);
    },
    onPointerDown: hold,
    onPointerUp: () => (timer.current = setTimeout(release, HELD_MS)),
    onPointerLeave: ({ pointerType }: PointerEvent) => {
      clearTimeout(timer.current);
      // Lifting a finger chooses first.
      if (pointerType === 'mouse') release();
      else timer.current = setTimeout(release, HELD_MS);
    },
  };
}

function Section({ section }: { section: FindSection }) {
  return (
    <MenuSection id={section.name}>
      <Header>{section.name}</Header>
      {section.finds.map(({ id, name, detail, icon }) => (
        <MenuItem key={id} id={id} textValue={name} className="search-find">
          <Icon name={icon} />
          <span className="cut">
            <VisibleText text={name} />
          </span>
          {detail && (
            <span className="detail cut">
              <VisibleText text={detail} />
            </span>
          )}
        </MenuItem>
      ))}
    </MenuSection>
  );
}

function useChoice(onClose: () => void, onHelp: () => void): (find: Find | undefined) => void {
  const navigate = useNavigate();
  return (find) => {
    if (!find) return;
    onClose();
    const { target } = find;
    if (target.kind === 'theme') chooseTheme(target.theme);
    else if (target.kind === 'thread')
      void navigate({ to: '/threads/$threadId', params: { threadId: target.threadId } });
    else if (target.kind === 'channel')
      void navigate({ to: '/channels/$channelId', params: { channelId: target.channelId } });
    else if (target.kind === 'act') target.act();
    else if (target.kind === 'keys') onHelp();
    else if (target.kind === 'page') location.assign(target.href);
    else void navigate({ to: target.to, search: target.search ?? {} });
  };
}
