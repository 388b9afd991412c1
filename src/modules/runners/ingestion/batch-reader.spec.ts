import fc from 'fast-check';
import { DomainError } from '../../../common/domain-error.js';
import { readBatch } from './batch-reader.js';
import type { EventReading } from './event-reader.js';
import type { ReportedEvent } from '../../threads/journal/reported-event.js';
import type { TextList } from '../../../common/text-list.js';

const nothingKnown = () => null;

function read(text: string, known: Parameters<typeof readBatch>[2] = nothingKnown): EventReading[] {
  return readBatch(Buffer.from(text), 1000, known);
}

function eventOf(reading: EventReading | undefined): ReportedEvent {
  if (!reading || !('event' in reading)) throw new Error(`no event: ${JSON.stringify(reading)}`);
  return reading.event;
}

function texts(list: TextList): string[] {
  return Array.from({ length: list.count }, (_, i) => list.text(i));
}

const checkpoint = (data: string) => `{"events":[{"type":"checkpoint","data":{"thread_id":"t",${data}}}]}`;

describe('reading a batch', () => {
  it('keeps each message exactly as it stands in the body', () => {
    const messages = [
      '{"role":"user", "n":12345678901234567890}',
      '"a \\"quoted\\" one"',
      '[ 1 , 2 ]',
      '{"":{"]":"}"}}',
    ];
    const [reading] = read(checkpoint(`"history" : [ ${messages.join(' , ')} ] `));
    expect(texts(eventOf(reading).history)).toEqual(messages);
  });

  it('finds the same elements whether or not it knew how the list begins', () => {
    const first = eventOf(read(checkpoint('"history":[{"a":1}, {"b":2}]'))[0]).history;
    const known = () => ({ history: first, historyMeta: first });
    for (const tail of ['', ', {"c":3}', ',{"c":3} , 4', ' , "]"']) {
      const text = checkpoint(`"history":[{"a":1}, {"b":2}${tail}]`);
      const plain = eventOf(read(text)[0]).history;
      const helped = eventOf(read(text, known)[0]).history;
      expect(texts(helped)).toEqual(texts(plain));
      expect(helped.extended).toBe(first);
      expect(helped.digestOfAll()).toBe(plain.digestOfAll());
    }
  });

  it('does not take a longer element for a known one that it begins with', () => {
    const first = eventOf(read(checkpoint('"history":[1]'))[0]).history;
    const longer = eventOf(
      read(checkpoint('"history":[12]'), () => ({ history: first, historyMeta: first }))[0],
    ).history;
    expect(texts(longer)).toEqual(['12']);
    expect(longer.extended).toBeNull();
  });

  it('gives unknown members back as exact text and leaves out those of the server', () => {
    const data = '"zzz":1e400,"error":"mine","approval":1,"updated_at":2,"a b":{"x": [1,2]}';
    expect(eventOf(read(checkpoint(data))[0]).extra).toEqual([
      { name: '"zzz"', value: '1e400' },
      { name: '"a b"', value: '{"x": [1,2]}' },
    ]);
  });

  it('names the member that is given more than once', () => {
    expect(read(checkpoint('"status":"a","status":"b"'))[0]).toMatchObject({ faults: [{ path: 'data.status' }] });
    expect(read('{"events":[{"type":"x","type":"y","data":{"thread_id":"t"}}]}')[0]).toMatchObject({
      faults: [{ path: 'type' }],
    });
  });

  it('says where a body stops being JSON', () => {
    for (const text of [
      '{',
      '{"events":[}',
      '{"events":[]} x',
      '{"events":[{"type":"a","data":{"history":[{]}}]}',
      '[1,]',
    ]) {
      expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
    }
  });

  it('accepts exactly what JSON.parse accepts', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }),
        fc.nat(),
        fc.constantFrom('', ',', '}', ']', '"', ':', ' ', '\\', 'x'),
        (value, at, noise) => {
          const body = checkpoint(`"history":[${value},{"n":${value}}],"extra":${value}`);
          const cut = at % body.length;
          const text = body.slice(0, cut) + noise + body.slice(cut);
          expect(isAccepted(text)).toBe(isJson(text));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('refuses more events than a batch may hold', () => {
    const events = Array.from({ length: 3 }, () => '{"type":"x","data":{"thread_id":"t"}}').join(',');
    expect(() => readBatch(Buffer.from(`{"events":[${events}]}`), 2, nothingKnown)).toThrow(
      expect.objectContaining({ kind: 'too_large', code: 'too_many_events' }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isAccepted(text: string): boolean {
  try {
    read(text);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return error.code !== 'invalid_json';
    throw error;
  }
}
