import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { formatCount } from '../../../lib/format.js';
import { readMessages } from '../../../lib/messages.js';
import { visibleString } from '../../../lib/visible-text.js';
import { Button } from '../../../ui/button.js';
import { JsonDiff } from '../../../ui/json-diff.js';
import { MessageView } from '../../../ui/message.js';
import { Failure, Skeleton } from '../../../ui/states.js';
import { historyDifference, type HistoryPart } from '../data/history-difference.js';
import { findStep, historyAt, stepBefore, stepName, stepsOfRun, type History, type Step } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';
import { checkpointQuery, type Checkpoint } from '../data/thread-queries.js';

const route = getRouteApi('/threads/$threadId');
/** Messages of a stretch shown at once. */
const SHOWN = 10;
const SIGNS = { same: '', removed: '−', added: '+' };

/** The differences between the step and another one of the thread: messages, and all other fields. */
export function StepDifference({ step }: { step: Step }) {
  const { steps } = useThread();
  const { compare, against = step.trace_id } = route.useSearch();
  const otherSteps = useMemo(() => stepsOfRun(steps, against), [steps, against]);
  const named = compare === undefined ? undefined : findStep(otherSteps, compare);
  const other = named ?? (against === step.trace_id ? stepBefore(otherSteps, step) : otherSteps.at(-1));
  return (
    <div className="difference">
      <ComparedStep step={step} other={other} otherSteps={otherSteps} against={against} />
      {other && other.cursor !== step.cursor && (
        <>
          <MessageDifference other={other} otherSteps={otherSteps} step={step} />
          <FieldDifference step={step} other={other} />
        </>
      )}
    </div>
  );
}

interface ComparedStepProps {
  step: Step;
  other: Step | undefined;
  /** All steps of the other step's run. */
  otherSteps: readonly Step[];
  against: string;
}

function ComparedStep({ step, other, otherSteps, against }: ComparedStepProps) {
  const { runs } = useThread();
  const navigate = route.useNavigate();
  const choose = (chosen: { compare: string | undefined; against?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...chosen }), replace: true, resetScroll: false });
  const others = otherSteps.filter(({ cursor }) => cursor !== step.cursor);
  const hasAttempts = (runs.find(({ trace_id }) => trace_id === against)?.attempts ?? 1) > 1;
  const comparable = runs.filter(({ steps }) => steps > 0);
  if (others.length === 0 && comparable.length < 2)
    return <p className="nothing">There is no other step to compare with.</p>;
  return (
    <div className="compared">
      <label>
        Compared with
        <select
          value={other ? stepName(other) : ''}
          onChange={({ target }) => choose({ compare: target.value === '' ? undefined : target.value })}
        >
          {!other && <option value="">choose a step</option>}
          {others.map((one) => (
            <option key={one.cursor} value={stepName(one)}>
              step {one.step_index}
              {hasAttempts && ` of attempt ${one.attempt}`}
              {one.cursor === stepBefore(otherSteps, step)?.cursor && ', the one before'}
            </option>
          ))}
        </select>
      </label>
      {comparable.length > 1 && (
        <label>
          of
          <select
            value={against}
            onChange={({ target }) =>
              choose({ compare: undefined, against: target.value === step.trace_id ? undefined : target.value })
            }
          >
            {comparable.map(({ trace_id, agent_id }) => (
              <option key={trace_id} value={trace_id}>
                {trace_id === step.trace_id ? 'this run' : visibleString(`${agent_id}, ${trace_id}`)}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

interface MessageDifferenceProps {
  step: Step;
  other: Step;
  otherSteps: readonly Step[];
}

function MessageDifference({ step, other, otherSteps }: MessageDifferenceProps) {
  const { history } = useThread();
  const before = useMemo(() => historyAt(otherSteps, other), [otherSteps, other]);
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

/** Without fields that always differ and say nothing. */
function fieldsOf(checkpoint: Checkpoint | null): unknown {
  if (!checkpoint) return null;
  const { updated_at: _, ...fields } = checkpoint;
  return fields;
}
