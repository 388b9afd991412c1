import { useRef, type PointerEvent } from 'react';
import type { WindowControl } from './use-window.js';

/** A pointer that moved less than this has clicked. */
const CLICK_PX = 5;

type Handler = (event: PointerEvent<SVGSVGElement>) => void;
interface Point {
  x: number;
  y: number;
}

interface PointerOptions {
  view: WindowControl;
  /** Width of the window in pixels, and its start within the element that receives pointers. */
  width: number;
  left: number;
  onClick: (point: Point) => void;
  /** The position of a resting mouse; null once it has left. */
  onHover: (point: Point | null) => void;
}

/** One pointer drags, two pinch, and one that does not move clicks. */
export function usePointers({
  view,
  width,
  left,
  onClick,
  onHover,
}: PointerOptions): Record<
  'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel' | 'onPointerLeave',
  Handler
> {
  const down = useRef(new Map<number, Point>());
  const travelled = useRef(0);
  const drag = (event: PointerEvent<SVGSVGElement>, before: Point) => {
    const other = [...down.current.entries()].find(([pointer]) => pointer !== event.pointerId)?.[1];
    const now = { x: event.clientX, y: event.clientY };
    down.current.set(event.pointerId, now);
    travelled.current += Math.hypot(now.x - before.x, now.y - before.y);
    if (travelled.current < CLICK_PX) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const { from, to } = view.window;
    if (!other) return view.pan((-(now.x - before.x) / width) * (to - from));
    const middle = (now.x + other.x) / 2 - event.currentTarget.getBoundingClientRect().left - left;
    const [far, close] = [Math.abs(now.x - other.x), Math.abs(before.x - other.x)];
    if (close > 8) view.zoom(Math.min(1.5, Math.max(0.67, far / close)), from + (middle / width) * (to - from));
  };
  const end: Handler = (event) => {
    const isClick = down.current.size === 1 && down.current.has(event.pointerId) && travelled.current < CLICK_PX;
    down.current.delete(event.pointerId);
    if (isClick && event.type === 'pointerup') onClick(pointOf(event));
  };
  return {
    onPointerDown: (event) => {
      if (event.button !== 0) return;
      if (down.current.size === 0) travelled.current = 0;
      down.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove: (event) => {
      const before = down.current.get(event.pointerId);
      if (before) drag(event, before);
      onHover(event.pointerType === 'mouse' && !before ? pointOf(event) : null);
    },
    onPointerUp: end,
    onPointerCancel: end,
    onPointerLeave: () => onHover(null),
  };
}

/** Coordinates within the element. */
function pointOf(event: PointerEvent<SVGSVGElement>): Point {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}
