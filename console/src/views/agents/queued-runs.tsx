import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleString } from '../../lib/visible-text.js';
import { Button } from '../../ui/button.js';
import { nameOfId, ShortId } from '../../ui/short-id.js';
import { Age } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import { CancelRun } from '../../ui/cancel-run.js';
import type { QueuedRun } from './agent-data.js';

/** Runs shown; further ones are only counted, because a queue may have hundreds. */
const SHOWN = 10;

/** Runs that wait because their agent is at its concurrency limit; the first starts next. */
export function QueuedRuns({ runs, isManager }: { runs: QueuedRun[]; isManager: boolean }) {
  const [cancelled, setCancelled] = useState<QueuedRun | null>(null);
  const queries = useQueryClient();
  const more = runs.length - SHOWN;
  return (
    <section className="agent-queue" aria-label="Runs that wait">
      <h3>{runs.length === 1 ? '1 run waits' : `${runs.length} runs wait`}</h3>
      <ol>
        {runs.slice(0, SHOWN).map((run) => (
          <li key={JSON.stringify([run.thread_id, run.trace_id])}>
            <Link
              to="/threads/$threadId"
              params={{ threadId: run.thread_id }}
              search={{ run: run.trace_id, begins: true }}
              className="queued-id"
              aria-label={nameOfId(run.thread_id)}
            >
              <ShortId id={run.thread_id} />
            </Link>
            <span className="since">
              accepted <Age time={run.queued_at} suffix="ago" />
            </span>
            {isManager && (
              <Button
                kind="quiet"
                onPress={() => setCancelled(run)}
                aria-label={`Cancel the run that waits in ${visibleString(run.thread_id)}`}
              >
                Cancel
              </Button>
            )}
          </li>
        ))}
      </ol>
      {more > 0 && <p>and {more} more</p>}
      {cancelled && (
        <CancelRun
          run={cancelled}
          onCancelled={() => void queries.invalidateQueries({ queryKey: ['agents'] })}
          onClose={() => setCancelled(null)}
        >
          <p>
            The run <VisibleText text={cancelled.trace_id} /> has not started yet. It never will.
          </p>
        </CancelRun>
      )}
    </section>
  );
}
