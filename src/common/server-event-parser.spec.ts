import { ServerEventParser, type ServerEvent } from './server-event-parser.js';

const STREAM =
  ':\n\nretry: 1000\nid: 1\n\nid: 2\r\nevent: thread\r\ndata: {"a":1,\r\ndata:  "b":2}\r\n\r\ndata\rid\r\rid: x\0y\n: ping\n\ndata:\u00e4\n\nevent: lost\ndata: half';
const EVENTS: ServerEvent[] = [
  { id: '2', event: 'thread', data: '{"a":1,\n "b":2}' },
  { id: '', event: 'message', data: '' },
  { id: '', event: 'message', data: '\u00e4' },
];

describe('The reader of server-sent events', () => {
  it.each([1, 2, 3, 7, 1000])('reads them from pieces of %i characters, whatever ends the lines', (size) => {
    const parser = new ServerEventParser();
    const pieces = Array.from({ length: Math.ceil(STREAM.length / size) }, (_, at) =>
      STREAM.slice(at * size, at * size + size),
    );
    expect(pieces.flatMap((piece) => [...parser.read(piece)])).toEqual(EVENTS);
    expect(parser.retryMs).toBe(1000);
  });

  it('keeps an id that comes without an event', () => {
    const parser = new ServerEventParser('7');
    expect([...parser.read('id: 8\n\nid: 9\n')]).toEqual([]);
    expect(parser.lastId).toBe('9');
  });
});
