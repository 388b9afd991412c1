import { DomainError, invalidField } from '../../../common/domain-error.js';
import { brokenJson, decodeUtf8 } from '../../../http/body/json-body.js';
import { outlineEvent, type EventOutline, type KnownLists } from './batch-outline.js';
import { isEventMember, readEvent, type EventReading } from './event-reader.js';
import { JsonOutlineError, JsonScanner } from '../../../common/json-scanner.js';
import { isUtf8 } from 'node:buffer';

const BYTE_ORDER_MARK_LENGTH = 3;

/**
 * Reads the body of a batch: every event checked on its own, its messages as exact text.
 * @throws DomainError `invalid` when the envelope is malformed, `too_large` when it holds too many events
 */
export function readBatch(bytes: Buffer, maxEvents: number, known: KnownLists): EventReading[] {
  if (bytes.length === 0) throw invalidField('body', 'expected a JSON object with the list events, got nothing');
  if (!isUtf8(bytes)) decodeUtf8(bytes);
  try {
    const outlines = eventsOf(readEnvelope(bytes, known), maxEvents);
    return outlines.map((outline, index) => readEvent(bytes, outline, index));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonOutlineError) throw brokenJson(decodeUtf8(bytes));
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

/** @throws SyntaxError or JsonOutlineError when the body is not JSON, wherever the fault lies */
function readEnvelope(bytes: Buffer, known: KnownLists): Envelope {
  const scanner = new JsonScanner(bytes, bytes[0] === 0xef ? BYTE_ORDER_MARK_LENGTH : 0);
  const envelope: Envelope = { isObject: scanner.isObject(), isTwice: false, events: null };
  if (!envelope.isObject) {
    assertJson(bytes, scanner.value());
  } else {
    const names = new Set<string>();
    scanner.members((name) => {
      if (name === 'events' && names.has(name)) envelope.isTwice = true;
      names.add(name);
      if (name === 'events' && scanner.isArray()) envelope.events = readEvents(scanner, known);
      else assertJson(bytes, scanner.value());
    });
  }
  if (scanner.peek() !== -1) throw new SyntaxError('text after the value');
  return envelope;
}

function readEvents(scanner: JsonScanner, known: KnownLists): EventOutline[] {
  const outlines: EventOutline[] = [];
  scanner.elements(() => {
    const outline = outlineEvent(scanner, known);
    if (outline.data === null) assertJson(scanner.bytes, outline.span);
    else checkForeignMembers(scanner.bytes, outline);
    outlines.push(outline);
  });
  return outlines;
}

/** What is read later is parsed then; members that nobody reads must be JSON all the same. */
function checkForeignMembers(bytes: Buffer, { members }: EventOutline): void {
  for (const [name, span] of members) if (name !== 'data' && !isEventMember(name)) assertJson(bytes, span);
}

function assertJson(bytes: Buffer, [from, to]: readonly [number, number]): void {
  JSON.parse(bytes.toString('utf8', from, to));
}
