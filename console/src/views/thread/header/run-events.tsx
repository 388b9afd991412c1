import { Age } from '../../../ui/time.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { cancellationOf } from './act-targets.js';
import { useThread } from '../data/thread-context.js';

/** Who retried the selected run, or cancelled an earlier attempt of it, when and why. `RunError` shows how it ended. */
export function RunEvents() {
  const { run } = useThread();
  const events = (run.events ?? []).filter((event) => event !== cancellationOf(run));
  if (events.length === 0) return null;
  return (
    <ul className="run-events" aria-label="Retries and cancellations">
      {events.map(({ type, at, by, reason, attempt }) => (
        <li key={`${at} ${type}`}>
          <strong>{type === 'retried' ? 'Retried' : 'Cancelled'}</strong>
          {by !== null && (
            <>
              {' '}
              by <VisibleText text={by} />
            </>
          )}
          , <Age time={at} suffix="ago" />
          {type === 'retried' && attempt !== null && `, attempt ${attempt}`}
          {reason !== null && (
            <>
              : <VisibleText text={reason} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
