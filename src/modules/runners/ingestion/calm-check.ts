import { DomainError } from '../../../common/domain-error.js';
import { JsonCheck } from '../../../common/json-check.js';
import type { KnownValues } from '../../../common/json-scanner.js';
import { TimeSlices } from '../../../common/time-slices.js';
import { assertUtf8, brokenJson, textStart } from '../../../http/body/json-body.js';

/** Bytes between two looks at the clock. */
const STRIDE = 64 * 1024;
/** An element of a history lies in the body's object, `events`, the event, its `data` and the list. */
const ELEMENT_DEPTH = 5;
/** Each becomes a row, or more: with the smallest elements a body of 32 MiB would hold 16 million of them, and fill the memory. */
const MAX_VALUES = 500_000;

/**
 * Checks that a large body is JSON and finds its values, and lets other requests have their turn meanwhile.
 * @throws DomainError `invalid` when it is no JSON, `too_large` when it holds more elements than can be stored at once
 */
export async function checkCalmly(body: Buffer): Promise<KnownValues> {
  assertUtf8(body);
  const slices = new TimeSlices();
  const check = new JsonCheck(body, textStart(body), ELEMENT_DEPTH);
  while (!check.advance(STRIDE)) {
    if (check.starts.length > MAX_VALUES) throw tooManyValues();
    await slices.pauseIfDue();
  }
  if (check.fault) throw brokenJson(body, check.fault);
  return new CheckedValues(check.starts, check.ends);
}

class CheckedValues implements KnownValues {
  private next = 0;

  constructor(
    private readonly starts: readonly number[],
    private readonly ends: readonly number[],
  ) {}

  endOf(from: number): number {
    while (this.starts[this.next]! < from) this.next += 1;
    return this.starts[this.next] === from ? this.ends[this.next]! : -1;
  }
}

function tooManyValues(): DomainError {
  const detail = `at most ${MAX_VALUES} messages and other values in one body`;
  return new DomainError('too_large', 'too_many_values', `A batch holds ${detail}.`, {
    errors: [{ path: 'events', detail }],
  });
}
