import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCompact, formatCost, formatCount } from '../../lib/format.js';
import { classes } from '../../ui/classes.js';
import { useNow } from '../../ui/now.js';
import { Age } from '../../ui/time.js';
import { HourChart } from './hour-chart.js';
import { sumsOfToday } from './hours.js';
import type { RunsSearch } from './runs-search.js';
import { FAILED, RUNNING } from './status-groups.js';
import { useFigures } from './use-figures.js';
import './runs-strip.css';

/** Placeholder for a figure that has not arrived, so that nothing below moves under the pointer when it does. */
const UNKNOWN = '–';

/** Current and today's activity at a glance; each figure links to the threads that it counts. */
export function RunsStrip({ version, onHour }: { version: number; onHour: (since: string, until: string) => void }) {
  const figures = useFigures(version);
  const now = useNow();
  const today = figures && sumsOfToday(figures.hours, now);
  return (
    <section className="strip card" aria-label="Now">
      <Figure value={figures?.running} tone="run">
        <Filter search={{ status: RUNNING }}>running</Filter>
        <span className="conditions">
          {!!figures?.silent && <Filter search={{ silent: true }}>{formatCount(figures.silent)} silent</Filter>}
          {!!figures?.inDoubt && <Filter search={{ doubt: true }}>{formatCount(figures.inDoubt)} in doubt</Filter>}
        </span>
      </Figure>
      <Figure value={figures?.waiting} tone="wait">
        <Link to="/approvals">
          waiting<span className="further"> for you</span>
        </Link>
        {figures?.oldest && (
          <span className="further">
            oldest <Age time={figures.oldest} />
          </span>
        )}
      </Figure>
      <Figure value={figures?.failedInHour} tone="bad">
        <Filter search={{ status: FAILED, span: '1h' }}>
          failed<span className="further"> in the last hour</span>
        </Filter>
        <Filter search={{ status: FAILED, span: '24h' }}>
          {figures ? formatCount(figures.failedInDay) : UNKNOWN} in 24 hours
        </Filter>
      </Figure>
      <Figure text={today && formatCost(today.cost_usd)}>
        <span>today</span>
        <span className="further">{today ? formatCompact(today.tokens) : UNKNOWN} tokens</span>
      </Figure>
      <div className="chart">{figures && <HourChart items={figures.hours} onHour={onHour} />}</div>
    </section>
  );
}

interface FigureProps {
  value?: number;
  text?: string;
  /** Its colour if it is not 0. */
  tone?: 'run' | 'wait' | 'bad';
  children: ReactNode;
}

function Figure({ value, text, tone, children }: FigureProps) {
  return (
    <div className="figure">
      <span className={classes('value', value !== undefined && value > 0 && tone)}>
        {text ?? (value === undefined ? UNKNOWN : formatCount(value))}
      </span>
      <span className="label">{children}</span>
    </div>
  );
}

function Filter({ search, children }: { search: RunsSearch; children: ReactNode }) {
  return (
    <Link to="/" search={search} activeOptions={{ exact: true, includeSearch: true }} preload={false}>
      {children}
    </Link>
  );
}
