import fc from 'fast-check';
import { DomainError } from '../../../common/domain-error.js';
import type { KnownLists } from './batch-outline.js';
import { readLongBatch, readShortBatch, type ReadOptions } from './batch-reader.js';
import type { EventReading } from './event-reader.js';
import type { ReportedEvent } from '../../threads/threads.contract.js';
import type { TextList } from '../../../common/text-list.js';

const nothingKnown = () => null;

function read(text: string, known: KnownLists = nothingKnown, atOnceBytes?: number): Promise<EventReading[]> {
  return readBatch(Buffer.from(text), { maxEvents: 1000, known, atOnceBytes });
}

async function readBatch(bytes: Buffer, options: ReadOptions): Promise<EventReading[]> {
  return readShortBatch(bytes, options) ?? readLongBatch(bytes, options);
}

function eventOf(reading: EventReading | undefined): ReportedEvent {
  if (!reading || !('event' in reading)) throw new Error(`no event: ${JSON.stringify(reading)}`);
  return reading.event;
}

function texts(list: TextList): string[] {
  return Array.from({ length: list.count }, (_, i) => list.text(i));
}

const checkpoint = (data: string) => `{"events":[{"type":"checkpoint","data":{"thread_id":"t",${data}}}]}`;

/** With its lists as texts, to ignore cached values. */
function plain([reading]: EventReading[]): object {
  const { history, historyMeta, dataText, ...rest } = eventOf(reading);
  return { ...rest, history: texts(history), historyMeta: texts(historyMeta), dataText: dataText.toString() };
}

describe('reading a batch', () => {
  it('keeps each message exactly as it stands in the body', async () => {
    const messages = [
      '{"role":"user", "n":12345678901234567890}',
      '"a \\"quoted\\" one"',
      '[ 1 , 2 ]',
      '{"":{"]":"}"}}',
    ];
    const [reading] = await read(checkpoint(`"history" : [ ${messages.join(' , ')} ] `));
    expect(texts(eventOf(reading).history)).toEqual(messages);
  });

  it('finds the same elements whether or not it knew how the list begins', async () => {
    const first = eventOf((await read(checkpoint('"history":[{"a":1}, {"b":2}]')))[0]).history;
    const known = () => ({ history: first, historyMeta: first });
    for (const tail of ['', ', {"c":3}', ',{"c":3} , 4', ' , "]"']) {
      const text = checkpoint(`"history":[{"a":1}, {"b":2}${tail}]`);
      const plain = eventOf((await read(text))[0]).history;
      const helped = eventOf((await read(text, known))[0]).history;
      expect(texts(helped)).toEqual(texts(plain));
      expect(helped.beginning?.list).toBe(first);
      expect(helped.digestOfAll(true)).toBe(plain.digestOfAll(true));
    }
  });

  it.each([
    ['"a":1,BASE"history":[1],"z":2', '"a":1,"history":[1],"z":2'],
    ['"a":1, BASE"history": [1]', '"a":1, "history": [1]'],
    ['"history":[1], BASE', '"history":[1]'],
    ['"history":[1],"z" : {"history_base":1},BASE', '"history":[1],"z" : {"history_base":1}'],
  ])('takes %s for %s: the text with a base is that without one', async (text, expected) => {
    const wanted = eventOf((await read(checkpoint(expected)))[0]);
    for (const name of ['history_base', 'history\\u005fbase']) {
      const member = `"${name}" :\t{"id":"e0", "length":3}`;
      const data = text.endsWith('BASE') ? text.replace('BASE', `${member} `) : text.replace('BASE', `${member} , `);
      const body = checkpoint(data).replace('"type"', '"id":"e1","type"');
      const event = eventOf((await read(body))[0]);
      expect(event.dataText.toString()).toBe(wanted.dataText.toString());
      expect(event.base).toEqual({ id: 'e0', length: 3, isLatest: false });
      expect(event.extra).toEqual(wanted.extra);
    }
  });

  it('does not take a longer element for a known one that it begins with', async () => {
    const first = eventOf((await read(checkpoint('"history":[1]')))[0]).history;
    const longer = eventOf(
      (await read(checkpoint('"history":[12]'), () => ({ history: first, historyMeta: first })))[0],
    ).history;
    expect(texts(longer)).toEqual(['12']);
    expect(longer.beginning).toBeNull();
  });

  it('gives unknown members back as exact text and leaves out those of the server', async () => {
    const data = '"zzz":1e400,"error":"mine","approval":1,"updated_at":2,"a b":{"x": [1,2]}';
    expect(eventOf((await read(checkpoint(data)))[0]).extra).toEqual([
      { name: '"zzz"', value: '1e400' },
      { name: '"a b"', value: '{"x": [1,2]}' },
    ]);
  });

  it('names the member that is given more than once', async () => {
    const [ofData] = await read(checkpoint('"status":"a","status":"b"'));
    expect(ofData).toMatchObject({ faults: [{ path: 'data.status' }] });
    const [ofEvent] = await read('{"events":[{"type":"x","type":"y","data":{"thread_id":"t"}}]}');
    expect(ofEvent).toMatchObject({ faults: [{ path: 'type' }] });
  });

  it('says where a body stops being JSON', async () => {
    for (const text of [
      '{',
      '{"events":[}',
      '{"events":[]} x',
      '{"events":[{"type":"a","data":{"history":[{]}}]}',
      '{"events":[{"type":"","data":{"status":tru}}]}',
      '{"events":[{"data":{}},{"data":{"x":"\n"}}]}',
      '[1,]',
    ]) {
      await expect(read(text)).rejects.toMatchObject({ code: 'invalid_json' });
      await expect(read(text, nothingKnown, 0)).rejects.toMatchObject({ code: 'invalid_json' });
    }
  });

  it('accepts exactly what JSON.parse accepts, at once and in slices', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json({ maxDepth: 5 }),
        fc.nat(),
        fc.constantFrom('', ',', '}', ']', '"', ':', ' ', '\\', 'x', '0', '.', 'e', '\u0001', '\u00a0'),
        async (value, at, noise) => {
          const body = checkpoint(`"history":[${value},{"n":${value}}],"extra":${value}`);
          const cut = at % body.length;
          const text = body.slice(0, cut) + noise + body.slice(cut);
          expect(await isAccepted(text)).toBe(isJson(text));
          expect(await isAccepted(text, 0)).toBe(isJson(text));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('knows the length and the digest of data alike at once and in slices', async () => {
    const text = checkpoint(`"state":"${'é'.repeat(10_000)}"`);
    const [atOnce, inSlices] = [await read(text), await read(text, nothingKnown, 1)].map((readings) => {
      const { dataText } = eventOf(readings[0]);
      return [dataText.length, dataText.digest()];
    });
    expect(inSlices).toEqual(atOnce);
  });

  it('reads the same at once and in slices', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.json({ maxDepth: 3 })),
        fc.json(),
        fc.boolean(),
        async (messages, value, isSpaced) => {
          const comma = isSpaced ? ' ,\n' : ',';
          const lists = `"history":[ ${messages.join(comma)}] ,"history_meta":[${messages.join(comma)}]`;
          const body = checkpoint(
            `${lists},"extra":${value},"pending_tool_calls":[${value}],"error":${value},"step_index":7`,
          );
          expect(plain(await read(body, nothingKnown, 0))).toEqual(plain(await read(body)));
        },
      ),
    );
  });

  it.each([0, undefined])('refuses an element that is too deep, at once and in slices', async (atOnceBytes) => {
    const deep = (levels: number) => `${'['.repeat(levels)}"]"${']'.repeat(levels)}`;
    const body = (levels: number) => checkpoint(`"history":[1,{"a":${deep(levels - 1)}}],"x":${deep(levels)}`);
    expect(eventOf((await read(body(1_000), nothingKnown, atOnceBytes))[0]).history.count).toBe(2);
    const detail = 'at most 1000 levels of lists and objects';
    const faults = ['data.history[1]', 'data.x'].map((path) => ({ path, detail }));
    expect(await read(body(1_001), nothingKnown, atOnceBytes)).toMatchObject([{ index: 0, faults }]);
  });

  it('finds the elements of a list whose name is spelled with escapes', async () => {
    const body = checkpoint('"\\u0068istory":[1,[2]]');
    for (const atOnceBytes of [0, undefined]) {
      expect(eventOf((await read(body, nothingKnown, atOnceBytes))[0]).history.text(1)).toBe('[2]');
    }
  });

  it('takes long values for what they are, without parsing them', async () => {
    const space = ' '.repeat(2_000_000);
    const [reading] = await read(checkpoint(`"pending_tool_calls":[${space}],"error":[${space}]`));
    expect(eventOf(reading)).toMatchObject({ pendingToolCalls: null });
    const long = `"${'x'.repeat(2_000_000)}"`;
    expect(await read(checkpoint(`"model":${long},"pending_tool_calls":${long}`))).toMatchObject([
      {
        faults: [
          { path: 'data.model' },
          { path: 'data.pending_tool_calls', detail: 'expected an array, got a string' },
        ],
      },
    ]);
  });

  it('refuses more values than can be stored at once', async () => {
    const read500 = read(checkpoint(`"history":[${'1,'.repeat(600_000)}1]`));
    await expect(read500).rejects.toMatchObject({ kind: 'too_large', code: 'too_many_values' });
  });

  it('refuses more events than a batch may hold', async () => {
    const events = Array.from({ length: 3 }, () => '{"type":"x","data":{"thread_id":"t"}}').join(',');
    const reading = readBatch(Buffer.from(`{"events":[${events}]}`), { maxEvents: 2, known: nothingKnown });
    await expect(reading).rejects.toMatchObject({ kind: 'too_large', code: 'too_many_events' });
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

async function isAccepted(text: string, atOnceBytes?: number): Promise<boolean> {
  try {
    await read(text, nothingKnown, atOnceBytes);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return error.code !== 'invalid_json';
    throw error;
  }
}
