import { useRef, type PointerEvent } from 'react';
import type { WindowControl } from './use-window.js';

/** Shows the window's position within the whole, and can be dragged. The slider below it and the zoom do the same by keys. */
export function WindowBar({ view }: { view: WindowControl }) {
  const before = useRef<number | null>(null);
  const { from, to } = view.window;
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (before.current === null) return;
    view.pan((event.clientX - before.current) / event.currentTarget.clientWidth);
    before.current = event.clientX;
  };
  return (
    <div
      className="window-bar"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const box = event.currentTarget.getBoundingClientRect();
        const unit = (event.clientX - box.left) / box.width;
        if (unit < from || unit > to) view.pan(unit - (from + to) / 2);
        before.current = event.clientX;
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => (before.current = null)}
      onPointerCancel={() => (before.current = null)}
    >
      <div style={{ left: `${from * 100}%`, width: `${Math.max(1, (to - from) * 100)}%` }} />
    </div>
  );
}
