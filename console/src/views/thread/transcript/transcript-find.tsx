import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { Button } from '../../../ui/button.js';
import { useShortcuts } from '../../../ui/shortcuts.js';
import { says, type TranscriptRow } from './transcript-rows.js';

const route = getRouteApi('/threads/$threadId');
const HIGHLIGHT = 'transcript-find';
/** More would slow the page down, and nobody sees them. */
const MOST_HIGHLIGHTS = 1_000;
/** Delay before the address follows the typing. */
const ADDRESS_AFTER_MS = 300;

export interface Find {
  text: string;
  setText: (text: string) => void;
  /** The rows that contain the text. */
  matches: readonly number[];
  /** The row that the person moved to; null if nothing was found or searched. */
  current: number | null;
  /** Increases whenever the person moves to a match. */
  visits: number;
  go: (by: 1 | -1) => void;
}

export function useFind(rows: readonly TranscriptRow[]): Find {
  const { find = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(find);
  /** The current match by the key of its row, and how often the person has moved. */
  const [visited, setVisited] = useState<{ key: string | null; visits: number }>({ key: null, visits: 0 });
  const wanted = useDeferredValue(text).trim().toLowerCase();
  const matches = useMemo(
    () =>
      wanted === '' ? [] : rows.flatMap(({ message }, index) => (message && says(message, wanted) ? [index] : [])),
    [rows, wanted],
  );
  useEffect(() => {
    if (text === find) return;
    const timer = setTimeout(
      () =>
        void navigate({
          search: (now) => ({ ...now, find: text === '' ? undefined : text }),
          replace: true,
          resetScroll: false,
        }),
      ADDRESS_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [text, find, navigate]);
  const place = matches.findIndex((row) => rows[row]!.key === visited.key);
  const go = (by: 1 | -1) => {
    if (matches.length === 0) return;
    const next = place === -1 ? (by === 1 ? 0 : matches.length - 1) : (place + by + matches.length) % matches.length;
    setVisited(({ visits }) => ({ key: rows[matches[next]!]!.key, visits: visits + 1 }));
  };
  return {
    text,
    setText: (to) => {
      setText(to);
      setVisited(({ visits }) => ({ key: null, visits }));
    },
    matches,
    current: place === -1 ? null : matches[place]!,
    visits: visited.visits,
    go,
  };
}

/** The search field, and the number of matches. */
export function TranscriptFind({ find, isComplete }: { find: Find; isComplete: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ '/': () => field.current?.focus() });
  const { text, setText, matches, current, go } = find;
  const count = matches.length;
  const said = count === 0 ? 'none' : current === null ? `${count}` : `${matches.indexOf(current) + 1} of ${count}`;
  return (
    <search className="finder">
      <input
        ref={field}
        type="search"
        aria-label="Find in the transcript"
        placeholder="Find"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
          if (event.key !== 'Escape') return;
          setText('');
          event.currentTarget.blur();
        }}
      />
      {text.trim() !== '' && (
        <>
          <span className="count" role="status">
            {said}
            {!isComplete && '…'}
          </span>
          <Button
            kind="quiet"
            icon="before"
            aria-label="Match before"
            isDisabled={count === 0}
            onPress={() => go(-1)}
          />
          <Button kind="quiet" icon="down" aria-label="Next match" isDisabled={count === 0} onPress={() => go(1)} />
        </>
      )}
    </search>
  );
}

/** Highlights matches in the drawn rows without changing them. */
export function useFindHighlight(scroller: RefObject<HTMLElement | null>, { text }: Find, drawn: unknown): void {
  useLayoutEffect(() => {
    if (!('highlights' in CSS)) return;
    const wanted = text.trim().toLowerCase();
    const ranges = wanted === '' || !scroller.current ? [] : rangesOf(scroller.current, wanted);
    CSS.highlights.set(HIGHLIGHT, new Highlight(...ranges));
    return () => void CSS.highlights.delete(HIGHLIGHT);
  }, [scroller, text, drawn]);
}

function rangesOf(root: Node, wanted: string): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && ranges.length < MOST_HIGHLIGHTS) {
    const node = texts.currentNode;
    const text = node.nodeValue!.toLowerCase();
    // Some letters change length in lower case.
    if (text.length !== node.nodeValue!.length) continue;
    for (
      let at = text.indexOf(wanted);
      at !== -1 && ranges.length < MOST_HIGHLIGHTS;
      at = text.indexOf(wanted, at + 1)
    ) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}
