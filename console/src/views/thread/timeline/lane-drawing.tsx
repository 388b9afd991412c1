import { memo } from 'react';
import { visibleString } from '../../../lib/visible-text.js';
import { classes } from '../../../ui/classes.js';
import { formatDuration } from '../../../lib/format.js';
import type { DrawnBar, DrawnLane, DrawnMark } from './timeline-layout.js';

const BAR_HEIGHT = 16;
/** Approximate width of a letter on a signal. */
const LETTER_PX = 6.6;
const SMALL_LETTER_PX = 6.2;

/** A run as a track: its steps are stops, a crash is a break in the track, waiting is a signal. `y` is the middle of the track. */
export const LaneDrawing = memo(function LaneDrawing({ drawn, y }: { drawn: DrawnLane; y: number }) {
  const { lane, from, to, bars, stops, marks } = drawn;
  return (
    <g className="lane" transform={`translate(0 ${y})`}>
      <path className="track" d={`M${from} 0H${to}`} />
      {bars.map((bar, index) => (
        <Bar key={index} bar={bar} />
      ))}
      {stops.map(({ x, step }) => (
        <circle key={step} className="stop" cx={x} r={3.5} />
      ))}
      {marks.map((mark, index) => (
        <Mark key={index} mark={mark} />
      ))}
      {lane.isOpen && !isWaiting(drawn) && <Train x={to} />}
    </g>
  );
});

/** The track ends at a signal. */
function isWaiting({ bars }: DrawnLane): boolean {
  const last = bars.at(-1);
  return last?.kind === 'wait' && last.isOpen;
}

function Bar({ bar: { kind, x, width, isOpen, tools } }: { bar: DrawnBar }) {
  if (kind === 'wait') return null;
  const name = tools && tools.length * SMALL_LETTER_PX + 14 <= width ? tools : null;
  return (
    <g className={classes('bar', kind, isOpen && 'open')}>
      <rect x={x} y={-BAR_HEIGHT / 2} width={width} height={BAR_HEIGHT} rx={barRadius(width)} />
      {name && (
        <text x={x + 7} y={3.5}>
          {visibleString(name)}
        </text>
      )}
    </g>
  );
}

function barRadius(width: number): number {
  return Math.min(3, width / 2);
}

function Mark({ mark }: { mark: DrawnMark }) {
  const { kind, x } = mark;
  switch (kind) {
    case 'approval':
      return <Signal mark={mark} />;
    case 'restart':
      return (
        <g className="mark restart" transform={`translate(${x} 0)`}>
          <path className="gap" d="M-2 0H9" />
          <path d="M-3 9L2 -9M5 9L10 -9" />
        </g>
      );
    case 'error':
      return (
        <g className="mark error" transform={`translate(${x} 0)`}>
          <circle r={8} />
          <path d="M-3 -3L3 3M3 -3L-3 3" />
        </g>
      );
    case 'cancelled':
      return (
        <g className="mark cancelled" transform={`translate(${x} 0)`}>
          <circle r={8} />
          <rect x={-2.5} y={-2.5} width={5} height={5} />
        </g>
      );
    case 'completed':
      return (
        <g className="mark completed" transform={`translate(${x} 0)`}>
          <circle r={8} />
          <path d="M-3.500 0.200L-1 2.700L3.500 -2.500" />
        </g>
      );
    case 'idle':
      return <circle className="mark idle" cx={x} r={5} />;
    case 'budget':
      return (
        <g className="mark budget" transform={`translate(${x} -15)`}>
          <path d="M0 -6L6 5H-6Z" />
          <path className="bang" d="M0 -2.500V1M0 2.600V3" />
        </g>
      );
  }
}

/** A semaphore: its arm is level while the run waits, and raised after the decision. */
function Signal({ mark: { x, width, at, to = at, text } }: { mark: DrawnMark }) {
  const isPending = text.startsWith('waits');
  const length = formatDuration(to - at);
  const words = [`${text}, ${length}`, length].find((one) => one.length * LETTER_PX + 26 <= width);
  return (
    <g className={classes('mark signal', isPending ? 'pending' : text.startsWith('rejected') ? 'rejected' : 'decided')}>
      <rect
        className="wait"
        x={x}
        y={-11}
        width={Math.max(width, 3)}
        height={22}
        rx={Math.min(4, Math.max(width, 3) / 2)}
      />
      <g transform={`translate(${x + Math.min(8, width / 2)} 0)`}>
        <path className="mast" d="M0 11V-17" />
        <path className="arm" d={isPending ? 'M0 -16H13' : 'M0 -16L11 -22'} />
        <circle className="lamp" cy={-16} r={4} />
      </g>
      {words && (
        <text x={x + 16} y={4}>
          {words}
        </text>
      )}
    </g>
  );
}

/** The moving end of an open run. */
function Train({ x }: { x: number }) {
  return (
    <g className="train" transform={`translate(${x} 0)`}>
      <circle className="glow" r={6} />
      <circle r={5} />
    </g>
  );
}
