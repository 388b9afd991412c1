import { memo } from 'react';
import { laneY, type Geometry } from './geometry.js';
import type { TimelineLayout } from './timeline-layout.js';

/** Connections between lanes: a dashed line from a broken attempt to the next, a branch from a run to its sub-agent. */
export const TimelineJoins = memo(function TimelineJoins({
  layout,
  geometry,
}: {
  layout: TimelineLayout;
  geometry: Geometry;
}) {
  const places = new Map(layout.lanes.map(({ lane }, place) => [lane.key, place]));
  const x = (ms: number) => Math.min(Math.max(layout.x(ms), 0), geometry.width);
  return layout.lanes.map(({ lane }, place) => {
    const above = places.get(lane.previous ?? lane.parent ?? '');
    if (above === undefined) return null;
    const [from, to] = [laneY(geometry, above), laneY(geometry, place)];
    const start = x(lane.start);
    if (!lane.previous)
      return <path key={lane.key} className="join child" d={`M${start - 8} ${from + 7}V${to - 8}q0 8 8 8`} />;
    const end = x(layout.lanes[above]!.lane.end) + 4;
    const middle = (from + to) / 2;
    const path = `M${end} ${from + 9}C${end} ${middle + 6} ${start} ${middle - 6} ${start} ${to - 8}`;
    return <path key={lane.key} className="join attempt" d={path} />;
  });
});
