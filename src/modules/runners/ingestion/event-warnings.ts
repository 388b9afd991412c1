import { DomainError } from '../../../common/domain-error.js';
import type { ReportedEvent } from '../../threads/threads.contract.js';
import type { EventReading } from './event-reader.js';
import { likelyTypoOf } from './event-types.js';

const MISPLACED_FENCE = 'data.fence: does not count there; the fence belongs beside type, outside of data.';

export interface EventWarning {
  index: number;
  detail: string;
}

export function warningsOf(readings: readonly EventReading[]): EventWarning[] {
  const warnings: EventWarning[] = [];
  for (const reading of readings) {
    const { index } = reading;
    const type = 'event' in reading ? reading.event.type : 'remark' in reading ? reading.remark.type : '';
    const meant = likelyTypoOf(type);
    if (meant !== null) {
      warnings.push({ index, detail: `type: ${type} is unknown and was only stored; did you mean ${meant}?` });
    }
    if ('event' in reading && hasMisplacedFence(reading.event)) warnings.push({ index, detail: MISPLACED_FENCE });
  }
  return warnings;
}

function hasMisplacedFence({ fence, extra }: ReportedEvent): boolean {
  return fence === null && extra.some(({ name }) => name === '"fence"');
}

/** Explains a refused event that has its fence in the wrong place. */
export function withHint(error: DomainError, event: ReportedEvent): DomainError {
  if (error.code !== 'stale_fence' || !hasMisplacedFence(event)) return error;
  const { kind, code, message, extensions } = error;
  return new DomainError(kind, code, `${message} ${MISPLACED_FENCE}`, { extensions, cause: error });
}
