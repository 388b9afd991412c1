import { useRef, useState, type KeyboardEvent } from 'react';
import {
  Autocomplete,
  Input,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  SearchField,
  useFilter,
  type Key,
} from 'react-aria-components';
import { visibleString } from '../lib/visible-text.js';
import { focusNextTo } from './next-focus.js';
import { classes } from './classes.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { VisibleText } from './visible-text.js';
import './choice-menu.css';

export interface Choice<Value extends string = string> {
  value: Value;
  label: string;
  /** A number or a word beside it. */
  hint?: string;
}

interface ChoiceMenuProps<Value extends string> {
  /** What people choose here, e.g. `Agent`. */
  label: string;
  choices: readonly Choice<Value>[];
  /** Undefined for the choice that means none. */
  chosen: Value | undefined;
  /** The words for none, e.g. `any agent`; without them, one choice is always selected. */
  none?: string;
  onChoose: (value: Value | undefined) => void;
  /** An additional entry, e.g. one that opens a dialog. */
  further?: { label: string; onChoose: () => void };
  /** Shown instead of the choice's label. */
  chosenLabel?: string;
}

const NONE = '';
const FURTHER = '\0further';
/** Menus with more choices than this get a search field. */
const FEW = 8;

/** A chip that opens a menu with a single choice. */
export function ChoiceMenu<Value extends string>(props: ChoiceMenuProps<Value>) {
  const { label, choices, chosen, none, onChoose, further, chosenLabel } = props;
  const { contains } = useFilter({ sensitivity: 'base' });
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const name = chosenLabel ?? choices.find(({ value }) => value === chosen)?.label ?? chosen ?? none ?? '';
  const isChosen = none !== undefined && (chosen !== undefined || chosenLabel !== undefined);
  const choose = (key: Key) => {
    if (key === FURTHER) further?.onChoose();
    else onChoose(key === NONE ? undefined : (key as Value));
  };
  const open = (isOpening: boolean) => {
    setTyped('');
    setOpen(isOpening);
  };
  // One press closes. By default the field would only clear its text, and Tab would stay in the menu.
  const leave = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== 'Escape' && event.key !== 'Tab')) return;
    event.preventDefault();
    event.stopPropagation();
    open(false);
    focusNextTo(trigger.current, event.key === 'Escape' ? 0 : event.shiftKey ? -1 : 1);
  };
  const menu = (
    <Menu
      className="choices"
      aria-label={label}
      selectionMode="single"
      selectedKeys={[chosenLabel ? FURTHER : (chosen ?? NONE)]}
      onAction={choose}
      renderEmptyState={() => <p className="nothing">Nothing like that</p>}
    >
      {none !== undefined && <Item id={NONE} text={capitalized(none)} />}
      {choices.map(({ value, label: text, hint }) => (
        <Item key={value} id={value} text={text} hint={hint} />
      ))}
      {further && <Item id={FURTHER} text={further.label} />}
    </Menu>
  );
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={open}>
      <Button ref={trigger} className={classes('chip', isChosen && 'on')}>
        <span className="chip-label">
          <span className={isChosen ? undefined : 'unseen'}>{label}: </span>
          <VisibleText text={isChosen ? name : capitalized(name)} />
        </span>
        <Icon name="down" />
      </Button>
      <Popover className="popover" placement="bottom start">
        <div className="popover-keys" onKeyDownCapture={leave}>
          {choices.length > FEW ? (
            <Autocomplete filter={contains} inputValue={typed} onInputChange={setTyped}>
              <SearchField className="find" aria-label={`Find: ${label}`} autoFocus>
                <Input placeholder="Find" />
              </SearchField>
              {menu}
            </Autocomplete>
          ) : (
            menu
          )}
        </div>
      </Popover>
    </MenuTrigger>
  );
}

function Item({ id, text, hint }: { id: string; text: string; hint?: string }) {
  return (
    <MenuItem id={id} className="choice" textValue={visibleString(text)}>
      <Icon name="check" />
      <span className="cut">
        <VisibleText text={text} />
      </span>
      {hint && <span className="hint">{hint}</span>}
    </MenuItem>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
