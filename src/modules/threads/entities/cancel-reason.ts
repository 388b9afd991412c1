import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { Run } from './run.entity.js';

interface Cancellation {
  reason?: string;
  by?: string;
  cancelledWith?: string;
}

/** The reason of a cancellation; null if the run was not cancelled or none was given. */
export function cancelReasonOf({ status, ending }: Pick<Run, 'status' | 'ending'>): string | null {
  return cancellationOf({ status, ending })?.reason ?? null;
}

/** Who cancelled the run; null if it was not cancelled or nobody was named. */
export function cancelledByOf({ status, ending }: Pick<Run, 'status' | 'ending'>): string | null {
  return cancellationOf({ status, ending })?.by ?? null;
}

/** The trace of the cancelled run that had called this one; null for a run that was cancelled itself. */
export function cancelledWithOf({ status, ending }: Pick<Run, 'status' | 'ending'>): string | null {
  return cancellationOf({ status, ending })?.cancelledWith ?? null;
}

function cancellationOf({ status, ending }: Pick<Run, 'status' | 'ending'>): Cancellation | null {
  return status === RUN_STATUS.cancelled && ending !== null ? (JSON.parse(ending) as Cancellation) : null;
}
