import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { formatCount } from '../../../lib/format.js';
import { readMessages } from '../../../lib/messages.js';
import { Button } from '../../../ui/button.js';
import { JsonDiff } from '../../../ui/json-diff.js';
import { MessageView } from '../../../ui/message.js';
import { Failure, Skeleton } from '../../../ui/states.js';
import { historyDifference, type HistoryPart } from '../data/history-difference.js';
import { findStep, historyAt, stepBefore, stepName, type History, type Step } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';
import { checkpointQuery, type Checkpoint } from '../data/thread-queries.js';

const route = getRouteApi('/threads/$threadId');
/** Messages of a stretch at once. */
const SHOWN = 10;
const SIGNS = { same: '', removed: '−', added: '+' };

/** What differs between the step and another one of its run: messages, and all other fields. */
export function StepDifference({ step }: { step: Step }) {
  const { runSteps } = useThread();
  const { compare } = route.useSearch();
  const other = (compare === undefined ? undefined : findStep(runSteps, compare)) ?? stepBefore(runSteps, step);
  return (
    <div className="difference">
      <ComparedStep step={step} other={other} />
      {other && other !== step && (
        <>
          <MessageDifference step={step} other={other} />
          <FieldDifference step={step} other={other} />
        </>
      )}
    </div>
  );
}

function ComparedStep({ step, other }: { step: Step; other: Step | undefined }) {
  const { run, runSteps } = useThread();
  const navigate = route.useNavigate();
  const others = runSteps.filter((one) => one !== step);
  if (others.length === 0) return <p className="nothing">There is no other step to compare with.</p>;
  return (
    <label className="compared">
      Compared with
      <select
        value={other ? stepName(other) : ''}
        onChange={({ target }) =>
          void navigate({
            search: (now) => ({ ...now, compare: target.value === '' ? undefined : target.value }),
            replace: true,
            resetScroll: false,
          })
        }
      >
        {!other && <option value="">choose a step</option>}
        {others.map((one) => (
          <option key={one.cursor} value={stepName(one)}>
            step {one.step_index}
            {run.attempts > 1 && ` of attempt ${one.attempt}`}
            {one === stepBefore(runSteps, step) && ', the one before'}
          </option>
        ))}
      </select>
    </label>
  );
}

function MessageDifference({ step, other }: { step: Step; other: Step }) {
  const { runSteps, history } = useThread();
  const before = useMemo(() => historyAt(runSteps, other), [runSteps, other]);
  const parts = useMemo(() => historyDifference(before, history), [before, history]);
  return (
    <section aria-label="Messages that differ">
      <h3>Messages</h3>
      {parts.length === 0 && <p className="nothing">Neither step has a message.</p>}
      {parts.map((part, index) =>
        part.kind === 'same' ? (
          <p key={`${step.cursor} ${index}`} className="unchanged">
            {part.indexes.length === 1 ? '1 message is' : `${formatCount(part.indexes.length)} messages are`} the same
          </p>
        ) : (
          <ChangedMessages
            key={`${step.cursor} ${other.cursor} ${index}`}
            part={part}
            history={part.kind === 'removed' ? before : history}
          />
        ),
      )}
    </section>
  );
}

/** Messages that only one of the steps has. */
function ChangedMessages({ part: { kind, indexes }, history }: { part: HistoryPart; history: History }) {
  const { messages } = useThread();
  const [count, setCount] = useState(SHOWN);
  const loaded = useSyncExternalStore(messages.subscribe, messages.snapshot);
  const shown = useMemo(() => indexes.slice(0, count), [indexes, count]);
  const places = useMemo(
    () => shown.map((index) => ({ place: history.places[index]!, metaPlace: history.metaPlaces[index] ?? -1 })),
    [shown, history],
  );
  const stored = places.map((place) => loaded.get(place));
  const isMissing = stored.includes(undefined);
  useEffect(() => {
    if (isMissing) messages.also(places);
  }, [isMissing, messages, places]);
  const read = readMessages(stored.map((one) => one?.message ?? null));
  return (
    <div className={`changed ${kind}`}>
      <p className="unseen">{kind === 'added' ? 'Added' : 'Removed'}</p>
      {read.map(
        (message, at) =>
          stored[at] &&
          (message.parts.length > 0 ? (
            <div key={shown[at]} className="one" data-sign={SIGNS[kind]}>
              <MessageView message={{ ...message, index: shown[at]! }} />
            </div>
          ) : null),
      )}
      {indexes.length > count && (
        <Button onPress={() => setCount(count + 10 * SHOWN)}>Show more ({formatCount(indexes.length - count)})</Button>
      )}
    </div>
  );
}

function FieldDifference({ step, other }: { step: Step; other: Step }) {
  const { id, steps } = useThread();
  const one = useQuery(checkpointQuery(id, steps, other, 'none'));
  const two = useQuery(checkpointQuery(id, steps, step, 'none'));
  const error = one.error ?? two.error;
  const retry = () => void Promise.all([one.refetch(), two.refetch()]);
  return (
    <section aria-label="Fields that differ">
      <h3>Fields</h3>
      {error ? (
        <Failure error={error} onRetry={retry} />
      ) : one.data === undefined || two.data === undefined ? (
        <Skeleton />
      ) : (
        <JsonDiff before={fieldsOf(one.data)} after={fieldsOf(two.data)} label="Fields that differ" />
      )}
    </section>
  );
}

/** Without what always differs and says nothing. */
function fieldsOf(checkpoint: Checkpoint | null): unknown {
  if (!checkpoint) return null;
  const { updated_at: _, ...fields } = checkpoint;
  return fields;
}
