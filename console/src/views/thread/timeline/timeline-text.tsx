import { memo } from 'react';
import { formatDuration, formatExact } from '../../../lib/format.js';
import { visibleString } from '../../../lib/visible-text.js';
import type { TimelineModel } from './timeline-model.js';
import { laneWords, markWords } from './timeline-tip.js';

const EVENTS_SHOWN = 50;

/** The picture as a list, for screen readers. The slider reaches each step. */
export const TimelineText = memo(function TimelineText({ model }: { model: TimelineModel }) {
  return (
    <ol className="unseen" aria-label="Runs and their events">
      {model.lanes.map((lane) => {
        const numbers = new Map(lane.steps.map(({ index, number }) => [index, number]));
        return (
          <li key={lane.key}>
            {laneWords(lane)}, run {visibleString(lane.run.trace_id)}
            {lane.depth > 0 && ', a sub-agent'}: {lane.steps.length} {lane.steps.length === 1 ? 'step' : 'steps'} from{' '}
            {formatExact(new Date(lane.start).toISOString())} for {formatDuration(lane.end - lane.start)}
            {lane.isOpen && ', goes on'}
            {lane.marks.length > 0 && (
              <ul>
                {lane.marks.slice(0, EVENTS_SHOWN).map((mark, index) => (
                  <li key={index}>
                    Step {numbers.get(mark.step)}: {markWords(mark)}
                  </li>
                ))}
                {lane.marks.length > EVENTS_SHOWN && <li>{lane.marks.length - EVENTS_SHOWN} more</li>}
              </ul>
            )}
          </li>
        );
      })}
    </ol>
  );
});
