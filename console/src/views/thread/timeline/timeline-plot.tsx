import { useState, type RefObject } from 'react';
import { classes } from '../../../ui/classes.js';
import { formatDuration } from '../../../lib/format.js';
import { EDGE_PX, laneY, stepAt, type Geometry } from './geometry.js';
import { LaneDrawing } from './lane-drawing.js';
import { LaneLabels } from './lane-labels.js';
import { AXIS_HEIGHT, CostCurve, costWords, CURVE_HEIGHT, TimeAxis } from './timeline-foot.js';
import { TimelineJoins } from './timeline-joins.js';
import type { TimelineData, TimelineLayout } from './timeline-layout.js';
import { stepWords } from './timeline-tip.js';
import { usePointers } from './use-pointers.js';
import type { WindowControl } from './use-window.js';

interface PlotProps {
  element: RefObject<HTMLDivElement | null>;
  data: TimelineData;
  layout: TimelineLayout;
  geometry: Geometry;
  view: WindowControl;
  /** The selected step: its index, its lane, and when it was reached. */
  selected: { index: number; lane: number; at: number } | null;
  choose: (index: number) => void;
}

interface Hovered {
  index: number;
  x: number;
  y: number;
}

/** The picture, for eyes and pointers; the slider and the list beside it serve everything else. */
export function TimelinePlot({ element, data, layout, geometry, view, selected, choose }: PlotProps) {
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const { width, isNarrow, laneHeight } = geometry;
  const pointers = usePointers({
    ...{ view, width, left: EDGE_PX },
    onClick: ({ x, y }) => {
      const index = stepAt(layout, geometry, x - EDGE_PX, y);
      if (index !== null) choose(index);
    },
    onHover: (point) => {
      const index = point && stepAt(layout, geometry, point.x - EDGE_PX, point.y);
      setHovered(point && index !== null ? { ...point, index } : null);
    },
  });
  const height = layout.lanes.length * laneHeight + 4;
  const cost = costWords(data.curve.at(-1));
  const cursor = selected && insideOf(layout.x(selected.at), width);
  return (
    <div className={classes('plot', isNarrow && 'narrow')} ref={element} aria-hidden="true">
      <div className="lanes">
        <LaneLabels lanes={data.model.lanes} geometry={geometry} selected={selected?.lane ?? -1} choose={choose} />
        <svg
          className={classes('tracks', !view.isWhole && 'zoomed')}
          width={width + 2 * EDGE_PX}
          height={height}
          {...pointers}
        >
          <g transform={`translate(${EDGE_PX} 0)`}>
            <Gaps layout={layout} height={height} />
            {cursor !== null && <path className="cursor" d={`M${cursor} 0V${height}`} />}
            <TimelineJoins layout={layout} geometry={geometry} />
            {layout.lanes.map((drawn, place) => (
              <LaneDrawing key={drawn.lane.key} drawn={drawn} y={laneY(geometry, place)} />
            ))}
            {cursor !== null && <circle className="selected" cx={cursor} cy={laneY(geometry, selected!.lane)} r={10} />}
          </g>
        </svg>
        {hovered && <Tip data={data} hovered={hovered} geometry={geometry} />}
      </div>
      <div className="timeline-foot">
        <div className="cost-label" style={isNarrow ? undefined : { width: geometry.labels }}>
          {cost && <span>Cost</span>} {cost}
        </div>
        <svg width={width + 2 * EDGE_PX} height={CURVE_HEIGHT + AXIS_HEIGHT}>
          <g transform={`translate(${EDGE_PX} 0)`}>
            {cursor !== null && <path className="cursor" d={`M${cursor} 0V${CURVE_HEIGHT}`} />}
            <CostCurve curve={layout.curve} total={data.curve.at(-1)} width={width} />
            <g transform={`translate(0 ${CURVE_HEIGHT})`}>
              <TimeAxis ticks={layout.ticks} width={width} />
            </g>
          </g>
        </svg>
      </div>
    </div>
  );
}

function insideOf(x: number, width: number): number | null {
  return x >= -1 && x <= width + 1 ? x : null;
}

/** Idle time, not drawn to scale: two torn edges, and its length unless a signal says it. */
function Gaps({ layout, height }: { layout: TimelineLayout; height: number }) {
  const signals = layout.lanes.flatMap(({ marks }) => marks.filter(({ width }) => width > 0));
  return layout.gaps.map(({ gap, x, width }) => {
    const isSaid = signals.some((signal) => signal.x <= x + 2 && signal.x + signal.width >= x + width - 2);
    return (
      <g key={gap.from} className="time-gap" transform={`translate(${x} 0)`}>
        <rect width={width} height={height} />
        <path d={tornEdge(0, height)} />
        <path d={tornEdge(width, height)} />
        {width > 44 && !isSaid && (
          <text x={width / 2} y={10} textAnchor="middle">
            {formatDuration(gap.to - gap.from)}
          </text>
        )}
      </g>
    );
  });
}

function tornEdge(x: number, height: number): string {
  let path = `M${x} 0`;
  for (let y = 4, side = 1; y <= height; y += 4, side = -side) path += `L${x + 1.5 * side} ${y}`;
  return path;
}

function Tip({ data, hovered, geometry }: { data: TimelineData; hovered: Hovered; geometry: Geometry }) {
  const words = stepWords(data, hovered.index);
  if (!words) return null;
  const left = geometry.labels + hovered.x;
  const isLeft = hovered.x > geometry.width - 220;
  return (
    <div
      className="tip"
      style={{
        top: hovered.y + 18,
        ...(isLeft ? { right: geometry.width + geometry.labels + 28 - left + 8 } : { left: left + 12 }),
      }}
    >
      <strong>{words.step}</strong> {words.lane}
      <div>
        {words.time} · {words.figures}
      </div>
      {words.events.map((event) => (
        <div key={event} className="event">
          {event}
        </div>
      ))}
    </div>
  );
}
