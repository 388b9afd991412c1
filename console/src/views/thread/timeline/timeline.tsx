import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { useShortcuts } from '../../../ui/shortcuts.js';
import { useThread } from '../data/thread-context.js';
import { EDGE_PX, firstWindow, geometryOf, type Geometry } from './geometry.js';
import { StepSlider } from './step-slider.js';
import { timelineLayout, type TimelineData } from './timeline-layout.js';
import { TimelinePlot } from './timeline-plot.js';
import { TimelineText } from './timeline-text.js';
import { StepReadout, TimelineTools } from './timeline-tools.js';
import { stepWords } from './timeline-tip.js';
import { useTimelineData } from './use-timeline-data.js';
import { useWindow } from './use-window.js';
import { WindowBar } from './window-bar.js';
import './timeline.css';

/** The whole thread at a glance, with access to each step. */
export function Timeline() {
  const data = useTimelineData();
  const card = useRef<HTMLElement>(null);
  const width = useWidth(card);
  return (
    <section className="card timeline" aria-label="Timeline" ref={card}>
      {width > 0 && data.model.lanes.length > 0 && <Picture data={data} geometry={geometryOf(width)} />}
    </section>
  );
}

function Picture({ data, geometry }: { data: TimelineData; geometry: Geometry }) {
  const { steps, step, select } = useThread();
  const { model } = data;
  const plot = useRef<HTMLDivElement>(null);
  const selected = useSelected(data, step ? steps.indexOf(step) : -1);
  const { width } = geometry;
  const view = useWindow({
    ...{ element: plot, width, left: geometry.labels + EDGE_PX },
    initial: firstWindow(data, geometry, selected?.index ?? -1),
    focus: selected && data.scale.toUnit(selected.at),
  });
  const layout = useMemo(() => timelineLayout(data, width, view.window), [data, width, view.window]);
  useRevealed(data, selected, view.reveal);
  useShortcuts({ '+': view.zoomIn, '=': view.zoomIn, '-': view.zoomOut, 0: view.showAll });
  const choose = useCallback(
    (index: number) => {
      const chosen = steps[index];
      if (!chosen) return;
      const { trace_id } = chosen;
      const isLatest = index === model.order.at(-1) && steps.findLast((one) => one.trace_id === trace_id) === chosen;
      select({ run: trace_id, step: isLatest ? null : chosen });
    },
    [steps, model, select],
  );
  const place = model.order.indexOf(selected?.index ?? -1);
  const words = useCallback((of: number) => stepWords(data, model.order[of] ?? -1), [data, model]);
  return (
    <>
      <TimelineTools data={data} view={view} place={place} choose={choose} />
      <TimelineText model={model} />
      <TimelinePlot element={plot} {...{ data, layout, geometry, view, selected, choose }} />
      {!view.isWhole && <WindowBar view={view} />}
      <StepSlider
        count={model.order.length}
        place={Math.max(0, place)}
        words={words}
        onSelect={(to) => choose(model.order[to]!)}
      />
      <StepReadout words={words(place)} place={place} count={model.order.length} />
    </>
  );
}

interface SelectedStep {
  index: number;
  lane: number;
  at: number;
}

function useSelected({ model }: TimelineData, index: number): SelectedStep | null {
  const places = useMemo(() => {
    const found = new Map<number, SelectedStep>();
    model.lanes.forEach(({ steps }, lane) => {
      for (const { index: of, at } of steps) found.set(of, { index: of, lane, at });
    });
    return found;
  }, [model]);
  return places.get(index) ?? null;
}

/** Brings a newly selected step into view. After a person has moved away, the window stays, even while the run continues. */
function useRevealed(data: TimelineData, selected: SelectedStep | null, reveal: (unit: number) => void): void {
  const unit = selected && data.scale.toUnit(selected.at);
  const latest = useRef(unit);
  useEffect(() => {
    latest.current = unit;
  });
  useEffect(() => {
    if (latest.current !== null) reveal(latest.current);
  }, [selected?.index, reveal]);
}

/** The width of an element in pixels, as it changes; 0 until it is known. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const target = element.current!;
    const measure = () => setWidth(target.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
