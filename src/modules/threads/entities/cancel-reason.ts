import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { Run } from './run.entity.js';

/** The stored facts of a cancellation. */
interface Cancellation {
  reason?: string;
  by?: string;
  cancelledWith?: string;
}

/** Why somebody cancelled the run; null if nobody did, or nobody said. */
export function cancelReasonOf({ status, ending }: Pick<Run, 'status' | 'ending'>): string | null {
  return cancellationOf({ status, ending })?.reason ?? null;
}

/** Who did; null where nobody cancelled it, or did not say who. */
export function cancelledByOf({ status, ending }: Pick<Run, 'status' | 'ending'>): string | null {
  return cancellationOf({ status, ending })?.by ?? null;
}

/** The trace of the run that somebody cancelled, and with it this one, which it had called; null for one that was cancelled itself. */
export function cancelledWithOf({ status, ending }: Pick<Run, 'status' | 'ending'>): string | null {
  return cancellationOf({ status, ending })?.cancelledWith ?? null;
}

function cancellationOf({ status, ending }: Pick<Run, 'status' | 'ending'>): Cancellation | null {
  return status === RUN_STATUS.cancelled && ending !== null ? (JSON.parse(ending) as Cancellation) : null;
}
