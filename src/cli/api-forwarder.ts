import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Listens at `apiUrl`, a loopback address, and forwards every connection to `target`: `unix:/path` or `tcp://host:port`.
 * Bytes pass unread, so the API sees the loopback name in the Host header, whatever the target.
 * If nothing listens at the target, the connection closes at once.
 * @throws as `server.listen` does
 */
export async function openForwarder(apiUrl: string, target: string): Promise<Server> {
  const { hostname, port, protocol } = new URL(apiUrl);
  const server = createServer({ allowHalfOpen: true }, (client) => pipeBoth(client, connectTo(target)));
  const host = hostname === '[::1]' ? '::1' : '127.0.0.1';
  server.listen(port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port), host);
  await once(server, 'listening');
  // It lives until the process ends, after everything that uses it.
  return server.unref();
}

function connectTo(target: string): Socket {
  const { protocol, pathname, hostname, port } = new URL(target);
  if (protocol === 'unix:') return connect({ path: decodeURIComponent(pathname), allowHalfOpen: true });
  return connect({ host: hostname, port: Number(port), allowHalfOpen: true });
}

function pipeBoth(client: Socket, api: Socket): void {
  for (const [from, to] of [
    [client, api],
    [api, client],
  ] as const) {
    from.on('error', () => to.destroy());
    // Pending output arrives before the end.
    from.on('close', () => to.destroySoon());
    from.pipe(to);
  }
}
