import { startBodyOf, type StartBody } from '../../../common/contract/start-body.js';
import { invalidField } from '../../../common/domain-error.js';
import { parseJsonBody } from '../../../http/body/json-body.js';

const MEMBERS = ['message', 'thread_id', 'context'];

/** @throws DomainError `invalid` as `startBodyOf`, and for an unknown member */
export function readInvokeBody(raw: Buffer): StartBody {
  const value = parseJsonBody(raw);
  const body = startBodyOf(value, raw);
  const unknown = Object.keys(value as object).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw invalidField(unknown, `is not a known field; known are ${MEMBERS.join(', ')}`);
  return body;
}
