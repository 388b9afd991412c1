import { memo } from 'react';
import { visibleString } from '../../../lib/visible-text.js';
import { classes } from '../../../ui/classes.js';
import { ShortId } from '../../../ui/short-id.js';
import { VisibleText } from '../../../ui/visible-text.js';
import type { Geometry } from './geometry.js';
import type { TimelineLane } from './timeline-model.js';

interface LaneLabelsProps {
  lanes: readonly TimelineLane[];
  geometry: Geometry;
  /** The lane of the selected step; -1 for none. */
  selected: number;
  choose: (index: number) => void;
}

/** The name of each track. A press selects its last step. */
export const LaneLabels = memo(function LaneLabels({ lanes, geometry, selected, choose }: LaneLabelsProps) {
  const { isNarrow, labels, laneHeight } = geometry;
  return (
    <div className="lane-labels" style={isNarrow ? undefined : { width: labels }}>
      {lanes.map((lane, place) => (
        <div
          key={lane.key}
          className={classes('lane-label', place === selected && 'selected')}
          style={{ top: place * laneHeight, paddingLeft: 16 + 14 * Math.min(lane.depth, 3) }}
          title={visibleString(`${lane.run.agent_id}, ${lane.run.trace_id}`)}
          onClick={() => lane.steps.length > 0 && choose(lane.steps.at(-1)!.index)}
        >
          <span className="agent">
            <VisibleText text={lane.run.agent_id} />
          </span>
          <span className="run">
            {lane.attempt > 1 && `attempt ${lane.attempt} · `}
            <ShortId id={lane.run.trace_id} />
          </span>
        </div>
      ))}
    </div>
  );
});
