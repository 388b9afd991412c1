import type { ApiRequest } from '../api-request.js';

/**
 * Does work on the bytes of a body, which count in the budget of bodies meanwhile, also when the caller goes away.
 * @param work may say earlier that it needs them no more
 */
export async function whileHeld<T>(request: ApiRequest, work: (release: () => void) => Promise<T>): Promise<T> {
  const share = request.bodyShare;
  request.bodyShare = undefined;
  const release = () => share?.give();
  try {
    return await work(release);
  } finally {
    release();
  }
}
