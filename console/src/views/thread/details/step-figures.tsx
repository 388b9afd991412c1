import type { ReactNode } from 'react';
import { visibleString } from '../../../lib/visible-text.js';
import { stringifyExact } from '../../../api/exact-json.js';
import { formatClock, formatCost, formatCount, formatExact } from '../../../lib/format.js';
import { PlainText } from '../../../ui/plain-text.js';
import { ShortId } from '../../../ui/short-id.js';
import { Age } from '../../../ui/time.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { stepBefore, type Step } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';

/** A step in numbers. */
export function StepFigures({ step }: { step: Step }) {
  const { run, runSteps } = useThread();
  const before = stepBefore(runSteps, step);
  // A new attempt counts from 0.
  const sofar = before?.attempt === step.attempt ? before : undefined;
  return (
    <dl className="step-figures">
      <Figure name="Run">
        <span className="mono run-id" tabIndex={0} title={visibleString(step.trace_id)}>
          <ShortId id={step.trace_id} />
        </span>
      </Figure>
      <Figure name="Attempt">
        {step.attempt} of {run.attempts}
      </Figure>
      <Figure name="Agent">
        <VisibleText text={step.agent_id} />
      </Figure>
      {step.model !== '' && (
        <Figure name="Model">
          <VisibleText text={step.model} />
        </Figure>
      )}
      <Figure name="Reported">
        <time dateTime={step.reported_at} title={formatExact(step.reported_at)}>
          {formatClock(step.reported_at)}
        </time>
        <span className="of">
          <Age time={step.reported_at} suffix="ago" />
        </span>
      </Figure>
      <Figure name="Tokens so far">
        {formatCount(step.tokens_used)}
        <Grown by={step.tokens_used - (sofar?.tokens_used ?? 0)} format={formatCount} />
      </Figure>
      {(step.input_tokens > 0 || step.output_tokens > 0) && (
        <Figure name="In and out">
          {formatCount(step.input_tokens)} in, {formatCount(step.output_tokens)} out
        </Figure>
      )}
      <Figure name="Cost so far">
        {formatCost(step.run_cost_usd)}
        <Grown by={step.run_cost_usd - (sofar?.run_cost_usd ?? 0)} format={formatCost} />
        {step.budget_usd > 0 && (
          <span className={step.budget_warning ? 'over' : 'of'}>of {formatCost(step.budget_usd)}</span>
        )}
      </Figure>
      {step.error !== null && (
        <Figure name="Error" isWide>
          <div className="error mono" tabIndex={0}>
            <PlainText text={typeof step.error === 'string' ? step.error : stringifyExact(step.error, 2)} isValue />
          </div>
        </Figure>
      )}
    </dl>
  );
}

function Figure({ name, isWide = false, children }: { name: string; isWide?: boolean; children: ReactNode }) {
  return (
    <div className={isWide ? 'wide' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What this step added. */
function Grown({ by, format }: { by: number; format: (value: number) => string }) {
  return by > 0 ? <span className="grown">+{format(by)}</span> : null;
}
