import { DomainError } from '../../../common/domain-error.js';
import { JsonCheck, type ValueNotes } from '../../../common/json-check.js';
import type { JsonExcess } from '../../../common/json-limits.js';
import type { KnownValues } from '../../../common/json-scanner.js';
import { TimeSlices } from '../../../common/time-slices.js';
import { assertUtf8, brokenJson, textStart } from '../../../http/body/json-body.js';

/** Bytes between two checks of the clock. */
const STRIDE = 64 * 1024;
/** Levels around an element of a history: the body's object, `events`, the event, its `data` and the list. */
const ELEMENT_DEPTH = 5;
/** Bytes of the longer list's name with every letter escaped, and its quote. */
const MAX_NAME_LENGTH = 1 + 6 * 'history_meta'.length;
/** Each becomes at least one row: with the smallest elements, 32 MiB would hold 16 million and fill the memory. */
const MAX_VALUES = 500_000;

/**
 * Checks that a large body is JSON and finds its values, yielding to other requests.
 * @throws DomainError `invalid` if it is not JSON, `too_large` if it holds more elements than can be stored at once
 */
export async function checkInSlices(body: Buffer): Promise<KnownValues> {
  assertUtf8(body);
  const slices = new TimeSlices();
  const check = new JsonCheck(body, textStart(body), ELEMENT_DEPTH, (nameAt) => mayNameList(body, nameAt));
  while (!check.advance(STRIDE)) {
    if (check.notes!.starts.length > MAX_VALUES) throw tooManyValues();
    await slices.pauseIfDue();
  }
  if (check.fault) throw brokenJson(body, check.fault);
  return new CheckedValues(check.notes!);
}

/** Whether the member's elements may be needed one by one. */
function mayNameList(body: Buffer, nameAt: number): boolean {
  const name = body.toString('latin1', nameAt, nameAt + MAX_NAME_LENGTH);
  return name.startsWith('"history') || /^"[^"]*\\/.test(name);
}

class CheckedValues implements KnownValues {
  private next = 0;

  constructor(private readonly notes: ValueNotes) {}

  endOf(from: number): number {
    const { starts, ends } = this.notes;
    while (starts[this.next]! < from) this.next += 1;
    return starts[this.next] === from ? ends[this.next]! : -1;
  }

  excessOf(from: number): JsonExcess | null {
    return this.notes.excesses.get(from) ?? null;
  }
}

function tooManyValues(): DomainError {
  const detail = `at most ${MAX_VALUES} messages and other values in one body`;
  return new DomainError('too_large', 'too_many_values', `A batch holds ${detail}.`, {
    errors: [{ path: 'events', detail }],
  });
}
