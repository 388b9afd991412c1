import { Status } from '../../../ui/status.js';
import { useThread } from '../data/thread-context.js';
import { StepFigures } from './step-figures.js';
import './step-details.css';

/** Everything about the selected step. */
export function StepDetails() {
  const { step } = useThread();
  return (
    <section className="pane details" aria-label="Step">
      <header>
        <h2>{step ? `Step ${step.step_index}` : 'No step yet'}</h2>
        {step && <Status status={step.status} />}
      </header>
      {step && (
        <div className="scroller" tabIndex={0} role="region" aria-label="Details of the step">
          <StepFigures step={step} />
        </div>
      )}
    </section>
  );
}
