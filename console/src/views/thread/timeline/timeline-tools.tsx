import { Button } from '../../../ui/button.js';
import type { TimelineData } from './timeline-layout.js';
import type { WindowControl } from './use-window.js';
import type { StepWords } from './timeline-tip.js';

interface ToolsProps {
  data: TimelineData;
  view: WindowControl;
  /** Chronological position of the selected step. */
  place: number;
  choose: (index: number) => void;
}

/** Shown above the picture: the legend, links to the events, and the zoom. */
export function TimelineTools({ data, view, place, choose }: ToolsProps) {
  const { before, after } = eventsAround(data, place);
  return (
    <header className="timeline-tools">
      <h2>Timeline</h2>
      <ul className="legend" aria-label="Colours">
        <li className="model">model</li>
        <li className="tool">tool</li>
        <li className="wait">waiting</li>
      </ul>
      <div className="buttons" role="group" aria-label="Events">
        <Button kind="quiet" isDisabled={before === null} onPress={() => choose(before!)} aria-label="Event before">
          ‹
        </Button>
        <span aria-hidden="true">events</span>
        <Button kind="quiet" isDisabled={after === null} onPress={() => choose(after!)} aria-label="Event after">
          ›
        </Button>
      </div>
      <div className="buttons" role="group" aria-label="Zoom">
        <Button kind="quiet" isDisabled={view.isWhole} onPress={view.zoomOut} aria-label="Zoom out">
          −
        </Button>
        <Button kind="quiet" isDisabled={view.isWhole} onPress={view.showAll}>
          All
        </Button>
        <Button kind="quiet" onPress={view.zoomIn} aria-label="Zoom in">
          +
        </Button>
      </div>
    </header>
  );
}

/** The nearest steps with an event before and after the selected one: errors, restarts, approvals, budgets, ends. */
function eventsAround({ model }: TimelineData, place: number): { before: number | null; after: number | null } {
  const marked = new Set(model.lanes.flatMap(({ marks }) => marks.map(({ step }) => step)));
  return {
    before: model.order.slice(0, Math.max(0, place)).findLast((index) => marked.has(index)) ?? null,
    after: model.order.slice(place + 1).find((index) => marked.has(index)) ?? null,
  };
}

interface ReadoutProps {
  words: StepWords | null;
  place: number;
  count: number;
}

/** The selected step in words. */
export function StepReadout({ words, place, count }: ReadoutProps) {
  if (!words) return null;
  return (
    <p className="readout">
      <strong>{words.step}</strong>
      <span>
        {place + 1} of {count}
      </span>
      <span>{words.lane}</span>
      <span>{words.time}</span>
      <span>{words.figures}</span>
      {words.events.map((event) => (
        <em key={event}>{event}</em>
      ))}
    </p>
  );
}
