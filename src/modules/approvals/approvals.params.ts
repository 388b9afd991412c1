import { invalidField } from '../../common/domain-error.js';

const MAX_STEP = 2_147_483_647;

/** @throws DomainError `invalid` that names `step` */
export function stepOf(text: string): number {
  const step = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(step <= MAX_STEP)) throw invalidField('step', `expected an integer from 0 to ${MAX_STEP}`);
  return step;
}
