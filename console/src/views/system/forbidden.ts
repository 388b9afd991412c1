import { Problem } from '../../api/problem.js';

/** Whether the session may not see this at all. */
export function isForbidden(error: Error | null): boolean {
  return error instanceof Problem && error.status === 403;
}
