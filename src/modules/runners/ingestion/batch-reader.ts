import { DomainError, invalidField } from '../../../common/domain-error.js';
import { assertUtf8, brokenJson, textStart } from '../../../http/body/json-body.js';
import { outlineEvent, type EventOutline, type KnownLists } from './batch-outline.js';
import { readEvent, type EventReading } from './event-reader.js';
import { JsonOutlineError, JsonScanner, ScanBudgetError, type KnownValues } from '../../../common/json-scanner.js';
import { checkInSlices } from './sliced-json-check.js';

/** Bytes to scan at once; more would delay other requests. The known part of a history does not count. */
const AT_ONCE_BYTES = 256 * 1024;

export interface ReadOptions {
  maxEvents: number;
  known: KnownLists;
  /** Size from which a body is read in slices. */
  atOnceBytes?: number;
}

/**
 * Reads the body of a batch: checks each event by itself and keeps messages as exact text. Null if that would delay other requests.
 * @throws DomainError `invalid` if the envelope is malformed, `too_large` if it holds too many events
 */
export function readShortBatch(bytes: Buffer, options: ReadOptions): EventReading[] | null {
  if (bytes.length === 0) throw invalidField('body', 'expected a JSON object with the list events, got nothing');
  assertUtf8(bytes);
  try {
    return readAtOnce(bytes, options, null);
  } catch (error) {
    if (error instanceof ScanBudgetError) return null;
    throw error;
  }
}

/**
 * The same in slices.
 * @throws DomainError as above, and `too_large` if it holds too many list elements
 */
export async function readLongBatch(bytes: Buffer, options: ReadOptions): Promise<EventReading[]> {
  return readAtOnce(bytes, options, await checkInSlices(bytes));
}

function readAtOnce(bytes: Buffer, options: ReadOptions, values: KnownValues | null): EventReading[] {
  const { maxEvents, known, atOnceBytes: budget = AT_ONCE_BYTES } = options;
  const scanner = new JsonScanner(bytes, { from: textStart(bytes), budget, values });
  try {
    const outlines = eventsOf(readEnvelope(scanner, known), maxEvents);
    return outlines.map((outline, index) => readEvent(bytes, outline, index));
  } catch (error) {
    if (error instanceof JsonOutlineError) throw brokenJson(bytes);
    throw error;
  }
}

function eventsOf({ isObject, isTwice, events }: Envelope, maxEvents: number): EventOutline[] {
  if (!isObject) throw invalidField('body', 'expected a JSON object with the list events');
  if (isTwice) throw invalidField('events', 'is given more than once');
  if (!events) throw invalidField('events', 'expected an array');
  if (events.length <= maxEvents) return events;
  throw new DomainError('too_large', 'too_many_events', `A batch holds at most ${maxEvents} events.`, {
    errors: [{ path: 'events', detail: `at most ${maxEvents} events, got ${events.length}` }],
  });
}

interface Envelope {
  isObject: boolean;
  isTwice: boolean;
  events: EventOutline[] | null;
}

/** @throws JsonOutlineError if any part of the body is not JSON */
function readEnvelope(scanner: JsonScanner, known: KnownLists): Envelope {
  const envelope: Envelope = { isObject: scanner.isObject(), isTwice: false, events: null };
  if (!envelope.isObject) {
    scanner.value();
  } else {
    const names = new Set<string>();
    scanner.members((name) => {
      if (name === 'events' && names.has(name)) envelope.isTwice = true;
      names.add(name);
      if (name === 'events' && scanner.isArray()) envelope.events = readEvents(scanner, known);
      else scanner.value();
    });
  }
  if (scanner.peek() !== -1) throw new JsonOutlineError();
  return envelope;
}

function readEvents(scanner: JsonScanner, known: KnownLists): EventOutline[] {
  const outlines: EventOutline[] = [];
  scanner.elements(() => outlines.push(outlineEvent(scanner, known)));
  return outlines;
}
