import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openForwarder } from './api-forwarder.js';

const LARGE = randomBytes(5 * 1024 * 1024);

/** Returns what it received once the other side has ended. */
function echo(): Server {
  return createServer({ allowHalfOpen: true }, (socket) => {
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('end', () => socket.end(Buffer.concat(pieces)));
  });
}

async function listening(server: Server, where: string | number): Promise<Server> {
  server.listen(typeof where === 'number' ? { port: where, host: '127.0.0.1' } : { path: where });
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe('The way to an API that is elsewhere', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waystation-forward-'));
  const servers: Server[] = [];

  async function forwarding(target: string): Promise<Socket> {
    const server = await openForwarder('http://127.0.0.1:0', target);
    servers.push(server);
    return connect({ port: portOf(server), allowHalfOpen: true });
  }
  const target = async (where: string | number) => {
    const server = await listening(echo(), where);
    servers.push(server);
    return server;
  };

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['unix', 'tcp'])('hands on everything, both ways, to the end (%s)', async (kind) => {
    const file = path.join(folder, 'a b.sock');
    const server = await target(kind === 'unix' ? file : 0);
    const client = await forwarding(kind === 'unix' ? `unix:${encodeURI(file)}` : `tcp://localhost:${portOf(server)}`);
    client.end(LARGE);
    expect((await buffer(client)).equals(LARGE)).toBe(true);
  });

  it('ends a connection at once when nobody is there, and works as soon as somebody is', async () => {
    const file = path.join(folder, 'later.sock');
    const first = await forwarding(`unix:${file}`);
    expect(await buffer(first)).toHaveLength(0);
    await target(file);
    const second = connect({ port: portOf(servers[0]!), allowHalfOpen: true });
    second.end('hello');
    expect(String(await buffer(second))).toBe('hello');
  });
});
