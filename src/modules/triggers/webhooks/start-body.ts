import { startBodyOf, type StartBody } from '../../../common/contract/start-body.js';
import { parseJsonBody } from '../../../http/body/json-body.js';

/**
 * Reads the body of a webhook or of `/invoke`.
 * @throws DomainError `invalid`, as `startBodyOf`, and for a body that is no JSON
 */
export function readStartBody(raw: Buffer): StartBody {
  return startBodyOf(parseJsonBody(raw), raw);
}
