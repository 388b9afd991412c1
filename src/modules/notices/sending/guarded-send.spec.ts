import { createServer, type AddressInfo } from 'node:net';
import { AddressRefused, guardedSend } from './guarded-send.js';

const RULES = { isLocal: false, privateHosts: ['intern.example'] };

/** A name that resolves differently each time, and a port that must not be called. */
async function called(
  addresses: string[][],
  host = 'rebound.example',
): Promise<{ error: unknown; connections: number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const send = guardedSend(RULES, (_name, _options, found) =>
    found(
      null,
      addresses.shift()!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
  );
  const options = { method: 'POST', headers: [], body: '{}', redirect: 'manual' as const };
  const url = new URL(`https://${host}:${port}/`);
  const error: unknown = await send(url, { ...options, signal: AbortSignal.timeout(5_000) }).catch((e: unknown) => e);
  await new Promise((resolve) => server.close(resolve));
  return { error, connections };
}

describe('The connection of a notice', () => {
  it.each([
    [['127.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
    [['169.254.169.254']],
    [['10.0.0.1']],
    [['::ffff:7f00:1']],
  ])('is not made where the name leads to %j by then', async (addresses) => {
    const { error, connections } = await called([addresses]);
    expect(error).toBeInstanceOf(AddressRefused);
    expect(connections).toBe(0);
  });

  it('is not made to this machine by a host that may be in a private network', async () => {
    expect((await called([['127.0.0.1']], 'intern.example')).connections).toBe(0);
  });
});
