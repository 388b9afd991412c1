import { formatCount } from '../../../lib/format.js';
import { Button } from '../../../ui/button.js';
import { classes } from '../../../ui/classes.js';
import { Failure } from '../../../ui/states.js';
import { stepName } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';
import { MessageList } from './message-list.js';
import { TranscriptFind, useFind } from './transcript-find.js';
import type { StepRows } from './use-rows.js';
import './transcript.css';

/** The conversation up to the selected step. */
export function Transcript({ rows, metas, loaded, freshCount, total, error, retry }: StepRows) {
  const { step, runSteps, isFollowing, select } = useThread();
  const find = useFind(rows);
  const name = step ? stepName(step) : '';
  const at = step ? runSteps.indexOf(step) : -1;
  const newer = runSteps.length - 1 - at;

  return (
    <section className={classes('pane transcript', !isFollowing && newer > 0 && 'earlier')} aria-label="Transcript">
      <header>
        <h2>Transcript</h2>
        <span className="upto">
          {step ? `to step ${step.step_index}` : 'no step yet'}
          {freshCount > 0 && <b>{freshCount} new</b>}
        </span>
        <TranscriptFind find={find} isComplete={loaded === total} />
      </header>
      {error !== null && <Failure error={error} onRetry={retry} />}
      <MessageList key={step?.trace_id} rows={rows} metas={metas} stepKey={name} find={find} />
      {!isFollowing && newer > 0 && (
        <div className="jump">
          <Button icon="down" onPress={() => select({ step: null })}>
            {newer === 1 ? '1 newer step' : `${formatCount(newer)} newer steps`}
          </Button>
        </div>
      )}
    </section>
  );
}
