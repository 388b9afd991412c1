import { RUN_STATUS } from '../../../common/contract/run-status.js';
import type { Run } from './run.entity.js';

/** Why somebody cancelled the run; null where nobody did, or nobody said. */
export function cancelReasonOf({ status, ending }: Pick<Run, 'status' | 'ending'>): string | null {
  if (status !== RUN_STATUS.cancelled || ending === null) return null;
  return (JSON.parse(ending) as { reason?: string }).reason ?? null;
}
