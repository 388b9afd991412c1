import { useNavigate } from '@tanstack/react-router';
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { keepList } from '../../shell/last-list.js';
import { Button } from '../../ui/button.js';
import { Failure } from '../../ui/states.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import type { FeedState, RunFeed } from './run-feed.js';
import { RunLine } from './run-line.js';
import { NewThreads, RunsHead } from './runs-head.js';
import type { RunsSearch } from './runs-search.js';
import { useMedia } from '../../ui/use-media.js';

interface RunsTableProps {
  feed: RunFeed;
  state: FeedState;
  /** Of the list: changes whenever the list does. */
  version: number;
  search: RunsSearch;
}

/** Heights of a row in px, as in runs.css. */
const ROW = 40;
const CARD = 64;
/** Rows before the end at which the next page is requested. */
const AHEAD = 100;

/** The threads as a table; only visible rows are in the page. Rows keep their places while someone points at them. */
export function RunsTable({ feed, state, search }: RunsTableProps) {
  const { list } = feed;
  const { ids } = list;
  const isNarrow = useMedia('(max-width: 700px)');
  const body = useRef<HTMLDivElement>(null);
  const top = useTop(body);
  const current = useCurrentRow(feed);
  const place = current.id === null ? -1 : ids.indexOf(current.id);
  const rows = useWindowVirtualizer({
    count: ids.length,
    estimateSize: () => (isNarrow ? CARD : ROW),
    overscan: 8,
    scrollMargin: top,
    // Below the sticky head, and above the navigation of narrow windows.
    scrollPaddingStart: isNarrow ? 8 : 44,
    scrollPaddingEnd: isNarrow ? 72 : 8,
    getItemKey: (index) => ids[index]!,
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range);
      return place === -1 || seen.includes(place) ? seen : [...seen, place].sort((one, other) => one - other);
    },
  });
  useEffect(() => rows.measure(), [rows, isNarrow]);
  useEffect(() => () => keepList(list.ids), [list]);
  const { startIndex = 0, endIndex = 0 } = rows.range ?? {};
  useEffect(() => {
    feed.see(startIndex, endIndex);
    if (endIndex > ids.length - AHEAD) void feed.more();
  }, [feed, startIndex, endIndex, ids.length]);

  const hold = useHold(feed, startIndex > 0);
  const move = useRowKeys({ feed, current, show: (index) => rows.scrollToIndex(index) });
  const showNew = () => {
    feed.settle();
    window.scrollTo({ top: Math.min(window.scrollY, Math.max(0, top - 120)) });
    current.focus(list.ids[0] ?? null);
  };
  return (
    <>
      <div className="card runs">
        <NewThreads count={hold.isHeld ? list.newCount : 0} onShow={showNew} />
        <div role="table" aria-label="Threads" aria-rowcount={list.next === null ? ids.length + 1 : -1}>
          <RunsHead search={search} />
          <div
            ref={body}
            className="body"
            role="rowgroup"
            style={{ height: rows.getTotalSize() }}
            onKeyDown={move}
            // A thread that is already loaded is drawn before this table is gone.
            onClickCapture={() => keepList(list.ids)}
            {...hold.body}
          >
            {rows.getVirtualItems().map(({ index, start, key }) => {
              const id = ids[index]!;
              return (
                <RunLine
                  key={key}
                  id={id}
                  row={list.row(id)}
                  index={index}
                  top={start - top}
                  gone={list.goneReason(id)}
                  isNew={list.hasArrived(id)}
                  isCurrent={id === current.id}
                  isTabStop={place === -1 ? index === startIndex : index === place}
                  wantsFocus={current.wanted === id}
                  onFocused={current.take}
                />
              );
            })}
          </div>
        </div>
      </div>
      <Foot feed={feed} state={state} />
    </>
  );
}

/** The element's distance from the top of the page, in px; what is above may grow. */
function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round(element.current!.getBoundingClientRect().top + window.scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

function Foot({ feed, state }: { feed: RunFeed; state: FeedState }) {
  if (state.error !== null) return <Failure error={state.error} onRetry={() => feed.retry()} />;
  if (feed.list.next === null) return null;
  return (
    <p className="more" role="status">
      {state.isLoadingMore ? 'Loading more …' : <Button onPress={() => void feed.more()}>Show more</Button>}
    </p>
  );
}

interface CurrentRow {
  id: string | null;
  /** The row to focus as soon as it is in the page. */
  wanted: string | null;
  focus: (id: string | null) => void;
  /** The row with this id has the focus. */
  take: (id: string) => void;
}

/** The row that the keys act on. People who come back find it again. */
function useCurrentRow(feed: RunFeed): CurrentRow {
  const [id, setId] = useState<string | null>(feed.currentId);
  const [wanted, setWanted] = useState<string | null>(null);
  useEffect(() => {
    feed.remember(id);
  }, [feed, id]);
  const focus = useCallback((next: string | null) => {
    setId(next);
    setWanted(next);
  }, []);
  const take = useCallback((taken: string) => {
    setId(taken);
    setWanted(null);
  }, []);
  return { id, wanted, focus, take };
}

/** Keeps rows in their places while someone points at them, has the focus in them, or has scrolled past the first. */
function useHold(feed: RunFeed, isScrolled: boolean) {
  const { list } = feed;
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const isHeld = isPointedAt || hasFocus || isScrolled;
  useEffect(() => {
    if (isHeld) return;
    const settle = () => {
      if (list.isUnsettled) feed.settle();
    };
    settle();
    return list.subscribe(settle);
  }, [feed, list, isHeld]);
  const body = {
    // A finger leaves as soon as it has touched.
    onPointerEnter: ({ pointerType }: { pointerType: string }) => setPointedAt(pointerType !== 'touch'),
    onPointerLeave: () => setPointedAt(false),
    onFocus: () => setFocus(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => setFocus(currentTarget.contains(relatedTarget)),
  };
  return { isHeld, body };
}

interface RowKeys {
  feed: RunFeed;
  current: CurrentRow;
  show: (index: number) => void;
}

/** `j`, `k`, the arrows, Home and End move between rows; Enter opens the thread. */
function useRowKeys({ feed, current, show }: RowKeys) {
  const navigate = useNavigate();
  const goTo = (place: number) => {
    const { ids } = feed.list;
    const index = Math.max(0, Math.min(ids.length - 1, place));
    show(index);
    current.focus(ids[index] ?? null);
  };
  const at = () => (current.id === null ? -1 : feed.list.ids.indexOf(current.id));
  const open = () => {
    if (current.id !== null) void navigate({ to: '/threads/$threadId', params: { threadId: current.id } });
  };
  useShortcuts({ j: () => goTo(at() + 1), k: () => goTo(at() - 1), Enter: open });
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, () => number> = {
      ArrowDown: () => at() + 1,
      ArrowUp: () => at() - 1,
      Home: () => 0,
      End: () => feed.list.ids.length - 1,
    };
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    goTo(step());
  };
  return move;
}
