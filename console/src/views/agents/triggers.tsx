import { visibleString } from '../../lib/visible-text.js';
import { formatDuration, formatExact } from '../../lib/format.js';
import { useNow } from '../../ui/now.js';
import { VisibleText } from '../../ui/visible-text.js';
import type { Trigger } from './agent-data.js';

/** An agent's triggers; schedules with their next firings. */
export function Triggers({ triggers }: { triggers: Trigger[] }) {
  return (
    <ul className="agent-triggers">
      {triggers.map((trigger) => (
        <li key={trigger.id} title={visibleString(trigger.id)}>
          <span className="type">{trigger.type}</span>
          <code>
            <VisibleText text={trigger.cron ?? trigger.endpoint ?? trigger.id} />
          </code>
          {trigger.timezone && <span>{trigger.timezone}</span>}
          {trigger.next && <Firings next={trigger.next} />}
        </li>
      ))}
    </ul>
  );
}

function Firings({ next }: { next: string[] }) {
  const now = useNow();
  const ahead = next.filter((time) => Date.parse(time) > now);
  const [first, ...rest] = ahead;
  if (first === undefined) return <span>no firing ahead</span>;
  return (
    <span className="agent-firings">
      <time dateTime={first} title={formatExact(first)}>
        next in {formatDuration(Date.parse(first) - now)}
      </time>
      {rest.length > 0 && (
        <details>
          <summary>then</summary>
          <ul>
            {rest.map((time) => (
              <li key={time}>{formatExact(time)}</li>
            ))}
          </ul>
        </details>
      )}
    </span>
  );
}
