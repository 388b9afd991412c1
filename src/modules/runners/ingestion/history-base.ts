import type { FieldFault } from '../../../common/domain-error.js';
import type { HistoryBase } from '../../threads/threads.contract.js';
import { HISTORY_BASE, type DataOutline } from './batch-outline.js';
import * as rules from './field-rules.js';
import { memberValue } from './member-value.js';

const RULES = rules.rulesOf({ id: rules.isId, length: rules.isCount, is_latest: rules.isBoolean });

/**
 * What the lists continue. Read separately, because `dataText` omits it.
 * @param isWithoutId the event has no id by which it would be recognised
 */
export function readBase(
  bytes: Buffer,
  { members }: DataOutline,
  isWithoutId: boolean,
  faults: FieldFault[],
): HistoryBase | null {
  const span = members.get(HISTORY_BASE);
  const value = span ? memberValue(bytes, span) : null;
  if (isAbsent(value)) return null;
  if (typeof value !== 'object' || Array.isArray(value)) {
    faults.push({ path: `data.${HISTORY_BASE}`, detail: `expected an object, got ${rules.kindOf(value)}` });
    return null;
  }
  const base = value as Record<string, unknown>;
  rules.checkFields(base, RULES, `data.${HISTORY_BASE}.`, faults);
  // A base may say that the run has no checkpoint yet, or that its latest has no id.
  const isUnnamed = isAbsent(base.id) && base.length === 0 && base.is_latest === true;
  if (isAbsent(base.id) && !isUnnamed) faults.push(missing(`data.${HISTORY_BASE}.id`, 'the id of an earlier event'));
  if (isAbsent(base.length)) faults.push(missing(`data.${HISTORY_BASE}.length`, 'a number of messages'));
  if (isWithoutId) faults.push(missing('id', `a string, because the event has a ${HISTORY_BASE}`));
  return { id: (base.id ?? null) as string | null, length: base.length as number, isLatest: base.is_latest === true };
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function missing(path: string, expected: string): FieldFault {
  return { path, detail: `expected ${expected}, got nothing` };
}
