import { useVirtualizer } from '@tanstack/react-virtual';
import { useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { stringifyExact } from '../api/exact-json.js';
import { formatCompact, formatCount } from '../lib/format.js';
import { firstRows, foldAll, openAll, parentOf, pathOf, toggleRow, type JsonRow } from '../lib/json-rows.js';
import { Button } from './button.js';
import { classes } from './classes.js';
import { CopyButton } from './copy-button.js';
import { copyText } from './copy-text.js';
import { Icon } from './icon.js';
import { VisibleText } from './visible-text.js';
import './json-view.css';

interface JsonViewProps {
  /** As `parseExact` returned it. */
  value: unknown;
  /** A name for it, e.g. `Raw step`. */
  label: string;
}

/** Characters shown of a string. */
const STRING_SHOWN = 2_000;
const LINE_PX = 22;
const PAGE_ROWS = 15;

/**
 * Any JSON as a tree, opened and closed by pointer or with tree keys (arrows, Home, End, Enter; `c` copies the value).
 * Draws only rows near the visible ones.
 */
export function JsonView({ value, label }: JsonViewProps) {
  const [{ of, rows, active }, setTree] = useState(() => ({ of: value, rows: firstRows(value), active: 0 }));
  if (of !== value) setTree({ of: value, rows: firstRows(value), active: 0 });
  const scroller = useRef<HTMLDivElement>(null);
  const show = (next: JsonRow[], at: number) => setTree({ of: value, rows: next, active: at });
  return (
    <div className="json-view">
      <div className="bar">
        <span className="where mono">
          <VisibleText text={pathOf(rows, active) || label} isValue />
        </span>
        <Button kind="quiet" onPress={() => show(openAll(rows), 0)}>
          Open all
        </Button>
        <Button kind="quiet" onPress={() => show(foldAll(rows), 0)}>
          Fold
        </Button>
        <CopyButton text={() => jsonText(value)} label={`Copy ${label} as JSON`} />
      </div>
      <Rows
        rows={rows}
        active={active}
        label={label}
        scroller={scroller}
        onActive={(at) => show(rows, at)}
        onToggle={(at) => show(toggleRow(rows, at), at)}
      />
    </div>
  );
}

interface RowsProps {
  rows: JsonRow[];
  active: number;
  label: string;
  scroller: RefObject<HTMLDivElement | null>;
  onActive: (index: number) => void;
  onToggle: (index: number) => void;
}

function Rows({ rows, active, label, scroller, onActive, onToggle }: RowsProps) {
  const id = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 12,
  });
  const move = (to: number) => {
    const at = Math.max(0, Math.min(rows.length - 1, to));
    virtual.scrollToIndex(at);
    onActive(at);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keysOf({ rows, active, move, onToggle })[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <div
      ref={scroller}
      className="json-rows mono"
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className="all" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={virtual.measureElement}
            data-index={index}
            id={`${id}-${index}`}
            role="treeitem"
            aria-level={rows[index]!.depth + 1}
            aria-expanded={rows[index]!.size === null ? undefined : rows[index]!.isOpen}
            aria-selected={index === active}
            className={classes('json-row', index === active && 'active')}
            style={{ transform: `translateY(${start}px)`, paddingLeft: 8 + Math.min(rows[index]!.depth, 40) * 14 }}
            onClick={() => (rows[index]!.size === null ? onActive(index) : onToggle(index))}
          >
            <Row row={rows[index]!} />
          </div>
        ))}
      </div>
    </div>
  );
}

interface TreeState {
  rows: JsonRow[];
  active: number;
  move: (to: number) => void;
  onToggle: (index: number) => void;
}

function keysOf({ rows, active, move, onToggle }: TreeState): Record<string, () => void> {
  const { size, isOpen, value } = rows[active]!;
  const toggle = () => onToggle(active);
  return {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    ArrowRight: () => (size !== null && !isOpen ? toggle() : move(active + 1)),
    ArrowLeft: () => (isOpen ? toggle() : move(parentOf(rows, active))),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    PageDown: () => move(active + PAGE_ROWS),
    PageUp: () => move(active - PAGE_ROWS),
    Enter: toggle,
    ' ': toggle,
    c: () => void copyText(typeof value === 'string' ? value : jsonText(value)),
  };
}

function Row({ row: { key, value, size, isOpen } }: { row: JsonRow }) {
  return (
    <>
      {size === null ? <span className="no-fold" /> : <Icon name={isOpen ? 'down' : 'right'} />}
      <span className="text">
        {key !== null && (
          <span className={typeof key === 'number' ? 'index' : 'key'}>
            <VisibleText text={String(key)} isValue />
            {': '}
          </span>
        )}
        {size === null ? <Leaf value={value} /> : <Holder isList={Array.isArray(value)} size={size} isOpen={isOpen} />}
      </span>
    </>
  );
}

function Holder({ isList, size, isOpen }: { isList: boolean; size: number; isOpen: boolean }) {
  const [open, close] = isList ? '[]' : '{}';
  if (size === 0) return <span className="size">{`${open}${close}`}</span>;
  return <span className="size">{`${open}${isOpen ? '' : `…${close}`} ${formatCount(size)}`}</span>;
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value !== 'string') {
    return <span className={typeof value === 'boolean' || value === null ? 'word' : 'number'}>{String(value)}</span>;
  }
  return (
    <span className="string">
      {'"'}
      <VisibleText text={value.slice(0, STRING_SHOWN)} isValue />
      {value.length > STRING_SHOWN ? (
        <>
          … <span className="size">{formatCompact(value.length)} characters</span>{' '}
          <CopyButton text={value} label="Copy the whole string" />
        </>
      ) : (
        '"'
      )}
    </span>
  );
}

function jsonText(value: unknown): string {
  try {
    return stringifyExact(value, 2);
  } catch {
    return 'JSON that is nested too deeply to copy.';
  }
}
