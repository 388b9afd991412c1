import { useQuery } from '@tanstack/react-query';
import { JsonView } from '../../../ui/json-view.js';
import { Failure, Skeleton } from '../../../ui/states.js';
import type { Step } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';
import { checkpointQuery } from '../data/thread-queries.js';

/** The checkpoint as the API returns it, with its whole history. */
export function RawStep({ step }: { step: Step }) {
  const { id, steps } = useThread();
  const { data, error, refetch } = useQuery(checkpointQuery(id, steps, step, 'full'));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (data === null) return <p className="nothing">This step was replaced meanwhile.</p>;
  return <JsonView value={data} label={`Step ${step.step_index}`} />;
}
