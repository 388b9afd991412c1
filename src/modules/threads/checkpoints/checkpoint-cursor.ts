import { decodeCursor } from '../../../common/pagination.js';
import type { CheckpointPlace } from './thread-checkpoints.repository.js';

/** Checkpoints and steps have the same order, so they share cursors. */
export const CHECKPOINTS_SCOPE = 'checkpoints';

export function placeIn(cursor: string): CheckpointPlace {
  const [run_no, attempt, step_index] = decodeCursor(CHECKPOINTS_SCOPE, cursor, [
    'integer',
    'integer',
    'integer',
  ]) as number[];
  return { run_no: run_no!, attempt: attempt!, step_index: step_index! };
}
