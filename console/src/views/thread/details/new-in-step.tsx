import { useState } from 'react';
import { formatCount } from '../../../lib/format.js';
import { Button } from '../../../ui/button.js';
import { MessageView } from '../../../ui/message.js';
import { historyAt, stepBefore, type Step } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';
import { Meta } from '../transcript/transcript-row.js';
import type { StepRows } from '../transcript/use-rows.js';

/** Messages shown at once; the transcript has them all. */
const SHOWN = 20;

/** What the step added to the conversation, and what it removed. */
export function NewInStep({ step, rows: { rows } }: { step: Step; rows: StepRows }) {
  const { runSteps, history } = useThread();
  const [shown, setShown] = useState({ of: step.cursor, count: SHOWN });
  const before = stepBefore(runSteps, step);
  const count = shown.of === step.cursor ? shown.count : SHOWN;
  // In the first step, everything is new.
  const fresh = before ? rows.filter(({ isNew }) => isNew) : rows;
  const kept = new Set(history.places);
  const gone = before ? historyAt(runSteps, before).places.filter((place) => !kept.has(place)).length : 0;
  const more = fresh.length - count;
  return (
    <div className="new-in-step">
      {gone > 0 && (
        <p className="note">
          {gone === 1 ? 'One message of the step before is' : `${formatCount(gone)} messages of the step before are`} no
          longer there: the agent shortened, summarised or edited its history.
        </p>
      )}
      {fresh.length === 0 && <p className="nothing">No new message.</p>}
      {fresh
        .slice(0, count)
        .map(
          ({ key, message, meta }) =>
            message && <MessageView key={key} message={message} meta={<Meta meta={meta} />} />,
        )}
      {more > 0 && (
        <Button onPress={() => setShown({ of: step.cursor, count: count + 5 * SHOWN })}>
          Show more ({formatCount(more)})
        </Button>
      )}
    </div>
  );
}
