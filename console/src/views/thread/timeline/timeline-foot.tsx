import { memo } from 'react';
import { formatCost } from '../../../lib/format.js';
import type { TimelineLayout } from './timeline-layout.js';

export const CURVE_HEIGHT = 36;
export const AXIS_HEIGHT = 22;
const CURVE_TOP = 6;
/** A budget that is far away would press the curve flat: it is only drawn once this part of it is spent. */
const BUDGET_IN_SIGHT = 0.4;

/** What it cost by when, against the budget. */
export const CostCurve = memo(function CostCurve({ curve, width }: { curve: TimelineLayout['curve']; width: number }) {
  const last = curve.at(-1);
  if (!last || last.cost === 0) return null;
  const hasBudget = last.budget > 0 && last.cost >= BUDGET_IN_SIGHT * last.budget;
  const top = Math.max(last.cost, hasBudget ? Math.max(...curve.map(({ budget }) => budget)) : 0);
  const y = (usd: number) => CURVE_TOP + (CURVE_HEIGHT - CURVE_TOP) * (1 - usd / top);
  const line = (of: (point: (typeof curve)[number]) => number) =>
    curve.map((point, place) => `${place === 0 ? `M${point.x} ` : `H${point.x}V`}${y(of(point))}`).join('');
  const cost = line((point) => point.cost);
  return (
    <g className="curve">
      <path className="area" d={`${cost}V${CURVE_HEIGHT}H${curve[0]!.x}Z`} />
      <path className="cost" d={cost} />
      {hasBudget && <path className="budget" d={line(({ budget }) => budget)} />}
      <path className="base" d={`M0 ${CURVE_HEIGHT}H${width}`} />
    </g>
  );
});

/** What the curve reaches, in words. */
export function costWords(curve: TimelineLayout['curve']): string {
  const last = curve.at(-1);
  if (!last || last.cost === 0) return '';
  return last.budget > 0 ? `${formatCost(last.cost)} of ${formatCost(last.budget)}` : formatCost(last.cost);
}

export const TimeAxis = memo(function TimeAxis({ ticks, width }: { ticks: TimelineLayout['ticks']; width: number }) {
  return (
    <g className="axis">
      {ticks.map(({ x, label }) => (
        <g key={label + x} transform={`translate(${x} 0)`}>
          <path d="M0 0V4" />
          <text y={16} textAnchor={anchorAt(x, width)}>
            {label}
          </text>
        </g>
      ))}
    </g>
  );
});

function anchorAt(x: number, width: number): 'start' | 'middle' | 'end' {
  if (x < 28) return 'start';
  return x > width - 28 ? 'end' : 'middle';
}
