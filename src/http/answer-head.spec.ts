import { once } from 'node:events';
import { createServer, IncomingMessage, request, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { addHeaderLine, endWithBytes, endWithText, extendHeads, fixHeaderLines } from './answer-head.js';

class Extended extends ServerResponse<IncomingMessage> {}
extendHeads(Extended.prototype);

type Answer = (response: ServerResponse) => void;

/** A server whose answers are of the class, and what it answers. */
async function serverOf(answerClass: typeof ServerResponse) {
  let answer: Answer = () => undefined;
  const server = createServer({ ServerResponse: answerClass }, (_request, response) => answer(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (next: Answer, method = 'GET') => {
    answer = next;
    const sent = request({ port, host: '127.0.0.1', method }).end();
    const [received] = (await once(sent, 'response')) as [IncomingMessage];
    const pieces: Buffer[] = [];
    for await (const piece of received) pieces.push(piece as Buffer);
    const { 'content-length': length, 'x-fixed': fixed, 'x-added': added, 'x-set': set } = received.headers;
    return { status: received.statusCode, length: Number(length), fixed, added, set, body: Buffer.concat(pieces) };
  };
  return { ask, close: () => server.close() };
}

describe.each([
  ['an extended class', Extended as unknown as typeof ServerResponse],
  ['a class that Node would write in another way', ServerResponse],
])('An answer of %s', (_name, answerClass) => {
  let server: Awaited<ReturnType<typeof serverOf>>;
  beforeAll(async () => {
    server = await serverOf(answerClass);
  });
  afterAll(() => server.close());

  it('has exactly the bytes of its text, small or large', async () => {
    const character = fc.constantFrom('a', '"', 'ä', 'ÿ', '\u0080', '€', '😀', '\ud800', '\r\n', '\0');
    const text = fc
      .tuple(fc.array(character), fc.constantFrom(0, 13_900, 14_300, 70_000))
      .map(([characters, length]) => {
        const unit = characters.join('');
        return unit === '' ? '' : unit.repeat(Math.ceil((length + 1) / unit.length));
      });
    const isExact = async (sent: string) => {
      const { length, body } = await server.ask((response) => endWithText(response, sent));
      expect(body.equals(Buffer.from(sent))).toBe(true);
      expect(length).toBe(body.length);
    };
    await fc.assert(fc.asyncProperty(text, isExact));
  });

  it('has exactly the bytes of its pieces', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 9000 }).map((bytes) => Buffer.from(bytes)));
    const isExact = async (sent: Buffer[]) => {
      const { length, body } = await server.ask((response) => endWithBytes(response, sent));
      expect(body.equals(Buffer.concat(sent))).toBe(true);
      expect(length).toBe(body.length);
    };
    await fc.assert(fc.asyncProperty(pieces, isExact));
  });

  it('has no body where there is none, but its length', async () => {
    const toHead = await server.ask((response) => endWithText(response, 'größer'), 'HEAD');
    expect([toHead.length, toHead.body.length]).toEqual([8, 0]);
    const unchanged = await server.ask((response) => endWithText(Object.assign(response, { statusCode: 304 }), 'body'));
    expect([unchanged.status, unchanged.body.length]).toEqual([304, 0]);
  });

  it('has the lines that were fixed or added, and the headers that were set', async () => {
    const { fixed, added, set, body } = await server.ask((response) => {
      fixHeaderLines(response, 'X-Fixed: a: b\r\n');
      addHeaderLine(response, 'X-Added', 'c');
      response.setHeader('X-Set', 'd');
      endWithText(response, 'text');
    });
    expect([fixed, added, set, body.toString()]).toEqual(['a: b', 'c', 'd', 'text']);
  });
});
