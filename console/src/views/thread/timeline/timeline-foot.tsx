import { memo } from 'react';
import { formatCost } from '../../../lib/format.js';
import type { CostPoint } from './cost-curve.js';
import type { TimelineLayout } from './timeline-layout.js';

export const CURVE_HEIGHT = 36;
export const AXIS_HEIGHT = 22;
const CURVE_TOP = 6;
/** A distant budget would flatten the curve: it is only drawn once this part of it is spent. */
const BUDGET_IN_SIGHT = 0.4;

interface CostCurveProps {
  curve: TimelineLayout['curve'];
  /** The total cost. */
  total: CostPoint | undefined;
  width: number;
}

/** The cost over time, against the budget. */
export const CostCurve = memo(function CostCurve({ curve, total, width }: CostCurveProps) {
  if (!total || total.cost === 0 || curve.length === 0) return null;
  const hasBudget = total.budget > 0 && total.cost >= BUDGET_IN_SIGHT * total.budget;
  const top = Math.max(total.cost, hasBudget ? total.budget : 0);
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

/** The end of the curve in words. */
export function costWords(total: CostPoint | undefined): string {
  if (!total || total.cost === 0) return '';
  return total.budget > 0 ? `${formatCost(total.cost)} of ${formatCost(total.budget)}` : formatCost(total.cost);
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
