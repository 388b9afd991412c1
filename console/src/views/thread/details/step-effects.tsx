import { useQuery } from '@tanstack/react-query';
import { visibleString } from '../../../lib/visible-text.js';
import { stringifyExact } from '../../../api/exact-json.js';
import { formatExact, formatClock, formatDuration } from '../../../lib/format.js';
import { effectPlace } from '../../../lib/inbox-place.js';
import { Status, type Tone } from '../../../ui/status.js';
import { Failure, Skeleton } from '../../../ui/states.js';
import { ValueText } from '../../../ui/value-text.js';
import { VisibleText } from '../../../ui/visible-text.js';
import type { Step } from '../data/steps.js';
import { ToCard } from '../waiting/to-card.js';
import { useThread } from '../data/thread-context.js';
import { effectsQuery, type Effect } from '../data/thread-queries.js';
import type { StepRows } from '../transcript/use-rows.js';

const TONES: Record<Effect['state'], Tone> = { started: 'run', completed: 'done', failed: 'bad', not_done: 'off' };

/** The effects of the run, those of this step first. */
export function StepEffects({ step, rows }: { step: Step; rows: StepRows }) {
  const { id } = useThread();
  const { data, error, refetch } = useQuery(effectsQuery(id, step.trace_id));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  const calls = newCalls(rows);
  const isOwn = ({ call_id }: Effect) => call_id !== null && calls.has(call_id);
  const own = data.filter(isOwn);
  const others = data.filter((effect) => !isOwn(effect));
  return (
    <div className="effects">
      {data.length === 0 && <p className="nothing">No effects in this run.</p>}
      {own.length > 0 && <EffectList title="Of this step" effects={own} />}
      {others.length > 0 && (
        <EffectList title={own.length > 0 ? 'Others of this run' : 'Of this run'} effects={others} />
      )}
    </div>
  );
}

function newCalls({ rows }: StepRows): Set<string> {
  const parts = rows.filter(({ isNew }) => isNew).flatMap(({ message }) => message?.parts ?? []);
  return new Set(parts.flatMap((part) => (part.kind === 'call' && part.call.id !== undefined ? [part.call.id] : [])));
}

function EffectList({ title, effects }: { title: string; effects: readonly Effect[] }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {effects.map((effect) => (
        <EffectCard key={`${effect.agent_id} ${effect.key}`} effect={effect} />
      ))}
    </section>
  );
}

function EffectCard({ effect }: { effect: Effect }) {
  const { key, tool, state, in_doubt, attempt, started_at, settled_at, decided_by, reason } = effect;
  return (
    <article className="effect" aria-label={`Effect ${visibleString(key)}`}>
      <header>
        <b className="mono">
          <VisibleText text={key} />
        </b>
        {in_doubt ? (
          <>
            <Status status="in_doubt" tone="wait" />
            <ToCard place={effectPlace(effect)}>Settle</ToCard>
          </>
        ) : (
          <Status status={state} tone={TONES[state]} />
        )}
      </header>
      <p className="facts">
        <span className="mono">
          <VisibleText text={tool} />
        </span>
        <time dateTime={started_at} title={formatExact(started_at)}>
          {formatClock(started_at)}
        </time>
        {settled_at && <span>{formatDuration(Date.parse(settled_at) - Date.parse(started_at))}</span>}
        {attempt > 1 && <span>claimed {attempt} times</span>}
        {decided_by && (
          <span>
            settled by <VisibleText text={decided_by} />
          </span>
        )}
      </p>
      {reason && (
        <p>
          <VisibleText text={reason} />
        </p>
      )}
      <Value label="Arguments" value={effect.args} />
      {effect.result_omitted ? (
        <p className="nothing">The result was too large to keep.</p>
      ) : (
        <Value label="Result" value={effect.result} />
      )}
      <Value label="Error" value={effect.error} />
    </article>
  );
}

function Value({ label, value }: { label: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  return (
    <div className="value">
      <span>{label}</span>
      <div className="mono" tabIndex={0} role="group" aria-label={label}>
        <ValueText text={typeof value === 'string' ? value : stringifyExact(value)} />
      </div>
    </div>
  );
}
