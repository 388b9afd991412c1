import { useCallback, useEffect, useState, type RefObject } from 'react';
import { WHOLE, type TimelineWindow } from './timeline-window.js';

const SMALLEST_SPAN = 1 / 4_000;
const ZOOM_STEP = 1.6;

export interface WindowControl {
  window: TimelineWindow;
  isWhole: boolean;
  /** @param factor above 1 zooms in; `around` from 0 to 1 of the whole */
  zoom: (factor: number, around?: number) => void;
  zoomIn: () => void;
  zoomOut: () => void;
  showAll: () => void;
  /** @param by of the whole, from -1 to 1 */
  pan: (by: number) => void;
  /** Moves the window as little as needed to show this. @param unit from 0 to 1 of the whole */
  reveal: (unit: number) => void;
}

interface WindowOptions {
  /** The element that receives wheel events. */
  element: RefObject<HTMLElement | null>;
  /** Width of the window in pixels, and its start within the element. */
  width: number;
  left: number;
  initial: TimelineWindow;
  /** Where buttons and keys zoom in, from 0 to 1 of the whole; the middle of the window if that is out of view. */
  focus: number | null;
}

/** The visible part of the timeline, changed by control and wheel, pinch, drag, buttons and keys. */
export function useWindow({ element, width, left, initial, focus }: WindowOptions): WindowControl {
  const [window, setWindow] = useState(initial);
  const change = useCallback((next: (now: TimelineWindow) => TimelineWindow) => {
    setWindow((now) => {
      const wanted = next(now);
      return wanted.from === now.from && wanted.to === now.to ? now : wanted;
    });
  }, []);
  const zoom = useCallback(
    (factor: number, around?: number) => change((now) => zoomed(now, factor, around ?? (now.from + now.to) / 2)),
    [change],
  );
  const pan = useCallback((by: number) => change((now) => moved(now, by)), [change]);
  const reveal = useCallback((unit: number) => change((now) => revealed(now, unit)), [change]);
  const seen = focus !== null && focus >= window.from && focus <= window.to ? focus : undefined;
  useWheel(element, width, left, window, zoom, pan);
  return {
    ...{ window, zoom, pan, reveal, isWhole: window.from <= 0 && window.to >= 1 },
    zoomIn: () => zoom(ZOOM_STEP, seen),
    zoomOut: () => zoom(1 / ZOOM_STEP, seen),
    showAll: () => change(() => WHOLE),
  };
}

function zoomed({ from, to }: TimelineWindow, factor: number, around: number): TimelineWindow {
  const span = Math.min(1, Math.max(SMALLEST_SPAN, (to - from) / factor));
  const part = (around - from) / (to - from);
  return within(around - part * span, span);
}

function moved({ from, to }: TimelineWindow, by: number): TimelineWindow {
  return within(from + by, to - from);
}

function revealed(now: TimelineWindow, unit: number): TimelineWindow {
  const span = now.to - now.from;
  const edge = Math.min(0.15 * span, unit, 1 - unit);
  if (unit < now.from + edge) return within(unit - 0.15 * span, span);
  return unit > now.to - edge ? within(unit - 0.85 * span, span) : now;
}

function within(from: number, span: number): TimelineWindow {
  const start = Math.min(Math.max(0, from), 1 - span);
  return { from: start, to: start + span };
}

function useWheel(
  element: RefObject<HTMLElement | null>,
  width: number,
  left: number,
  window: TimelineWindow,
  zoom: WindowControl['zoom'],
  pan: WindowControl['pan'],
): void {
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const onWheel = (event: WheelEvent) => {
      const span = window.to - window.from;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const x = event.clientX - target.getBoundingClientRect().left - left;
        zoom(Math.exp(-event.deltaY / 240), window.from + (x / width) * span);
      } else if (span < 1 && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
        event.preventDefault();
        pan(((event.deltaX || event.deltaY) / width) * span);
      }
    };
    target.addEventListener('wheel', onWheel, { passive: false });
    return () => target.removeEventListener('wheel', onWheel);
  }, [element, width, left, window, zoom, pan]);
}
