import { useState, type KeyboardEvent } from 'react';
import { formatCost, formatCount } from '../../lib/format.js';
import { barsOf, chartHours, HOUR_MS, type SumsOfHour } from './hours.js';

const time = new Intl.DateTimeFormat('en-US', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

interface HourChartProps {
  items: readonly SumsOfHour[];
  /** Called to show the threads of an hour. */
  onHour: (since: string, until: string) => void;
}

/** Heights in units of the drawing: runs above the line, costs below it. */
const RUNS = 34;
const COST = 16;
const STEP = 10;
const BAR = 7;

/** Runs by hour, failed ones in red, and their costs. A press on an hour shows its threads. */
export function HourChart({ items, onHour }: HourChartProps) {
  const hours = chartHours(items);
  const [pointed, setPointed] = useState<number | null>(null);
  const [stop, setStop] = useState(hours.length - 1);
  const shown = pointed === null ? undefined : hours[pointed];
  const turn = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(hours.length - 1, stop + step));
    setStop(next);
    (event.currentTarget.children[next] as HTMLElement).focus();
  };
  return (
    <figure className="hours">
      <div className="drawing">
        <Drawing hours={hours} pointed={pointed} />
        <div className="presses" role="group" aria-label="Threads by hour" onKeyDown={turn}>
          {hours.map((hour, index) => (
            <button
              key={hour.key}
              type="button"
              tabIndex={index === Math.min(stop, hours.length - 1) ? 0 : -1}
              aria-label={`${sentence(hour)}. Show the threads that changed in it.`}
              onPointerEnter={() => setPointed(index)}
              onPointerLeave={() => setPointed(null)}
              onFocus={() => (setStop(index), setPointed(index))}
              onBlur={() => setPointed(null)}
              onClick={() => onHour(hour.key, endOf(hour.key))}
            />
          ))}
        </div>
      </div>
      <figcaption>
        {shown ? (
          sentence(shown)
        ) : (
          <>
            <span className="key">runs</span>
            <span className="key failed">failed</span>
            <span className="key cost">cost</span>
            <span className="further">by hour, last 24 hours</span>
          </>
        )}
      </figcaption>
      <Table hours={hours} />
    </figure>
  );
}

function Drawing({ hours, pointed }: { hours: readonly SumsOfHour[]; pointed: number | null }) {
  return (
    <svg viewBox={`0 0 ${hours.length * STEP} ${RUNS + COST + 2}`} preserveAspectRatio="none" aria-hidden="true">
      {barsOf(hours).map(({ runs, failed, cost }, index) => {
        const x = index * STEP + (STEP - BAR) / 2;
        const high = Math.max(runs > 0 ? 2 : 0, runs * RUNS);
        const red = failed > 0 ? Math.max(2, failed * RUNS) : 0;
        const deep = Math.max(cost > 0 ? 1.5 : 0, cost * COST);
        return (
          <g key={hours[index]!.key} className={index === pointed ? 'pointed' : undefined}>
            <rect className="back" x={index * STEP} y={0} width={STEP} height={RUNS + COST + 2} />
            <rect className="bar" x={x} y={RUNS - high} width={BAR} height={high} />
            <rect className="failed" x={x} y={RUNS - red} width={BAR} height={red} />
            <rect className="cost" x={x} y={RUNS + 2} width={BAR} height={deep} />
          </g>
        );
      })}
      <rect className="line-between" x={0} y={RUNS + 0.5} width={hours.length * STEP} height={1} />
    </svg>
  );
}

/** The same for people who cannot see the drawing. */
function Table({ hours }: { hours: readonly SumsOfHour[] }) {
  return (
    <table className="unseen">
      <caption>Runs and cost by hour</caption>
      <thead>
        <tr>
          {['Hour', 'Runs', 'Failed', 'Tokens', 'Cost'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {hours.map(({ key, runs, failed, tokens, cost_usd }) => (
          <tr key={key}>
            <th scope="row">{time.format(Date.parse(key))}</th>
            <td>{formatCount(runs)}</td>
            <td>{formatCount(failed)}</td>
            <td>{formatCount(tokens)}</td>
            <td>{formatCost(cost_usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function sentence({ key, runs, failed, cost_usd }: SumsOfHour): string {
  const span = `${time.format(Date.parse(key))}–${time.format(Date.parse(endOf(key)))}`;
  const counted = `${formatCount(runs)} ${runs === 1 ? 'run' : 'runs'}${failed > 0 ? `, ${formatCount(failed)} failed` : ''}`;
  return `${span}: ${counted}, ${formatCost(cost_usd)}`;
}

function endOf(key: string): string {
  return new Date(Date.parse(key) + HOUR_MS).toISOString();
}
