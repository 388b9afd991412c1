import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useRef, useState, type KeyboardEvent } from 'react';
import type { ToolCall } from '../../../lib/messages.js';
import { Button } from '../../../ui/button.js';
import { useThread } from '../data/thread-context.js';
import { useFindHighlight, type Find } from './transcript-find.js';
import { CallTime, Row } from './transcript-row.js';
import type { TranscriptRows } from './transcript-rows.js';
import { usePin } from './use-pin.js';

/** The end counts as reached within this many pixels. */
const NEAR_END = 48;
const SCROLL_KEYS = ['ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown', ' '];

interface MessageListProps extends Pick<TranscriptRows, 'rows' | 'metas'> {
  stepKey: string;
  find: Find;
}

/** The messages; only visible ones are drawn. */
export function MessageList({ rows, metas, stepKey, find }: MessageListProps) {
  const { isFollowing } = useThread();
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 76,
    overscan: 8,
    getItemKey: (index) => rows[index]!.key,
  });
  const pin = usePin({
    rows,
    stepKey,
    scroller,
    find,
    offsetOf: (row) => virtual.getOffsetForIndex(row, 'start')?.[0],
  });
  const callAside = useCallback(
    (call: ToolCall, index: number) => <CallTime call={call} index={index} metas={metas} />,
    [metas],
  );

  const onScroll = () => {
    const isNear = isNearEnd(scroller.current!);
    setAtEnd(isNear);
    if (isNear && isFollowing && pin.current === null) pin.current = 'end';
  };
  const release = () => void (pin.current = null);
  const jump = () => {
    pin.current = 'end';
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!SCROLL_KEYS.includes(event.key) || event.target !== scroller.current) return;
    // These keys scroll here; elsewhere they move between steps.
    event.stopPropagation();
    release();
  };
  useFindHighlight(scroller, find, virtual.getVirtualItems());

  return (
    <>
      <div
        ref={scroller}
        className="scroller"
        tabIndex={0}
        role="region"
        aria-label="Messages"
        onScroll={onScroll}
        onWheel={release}
        onTouchMove={release}
        onPointerDown={(event) => event.target === scroller.current && release()}
        onKeyDown={onKeyDown}
      >
        {rows.length === 0 && <p className="nothing">The agent reported no message with this step.</p>}
        <div className="rows" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row row={rows[index]!} callAside={callAside} isFound={find.current === index} />
            </div>
          ))}
        </div>
      </div>
      {isFollowing && !isAtEnd && (
        <div className="jump">
          <Button icon="down" onPress={jump}>
            Jump to latest
          </Button>
        </div>
      )}
    </>
  );
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR_END;
}
