import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';

/** The first 8-byte message of a client that wants TLS. */
const SSL_REQUEST = 80_877_103;

/** TLS in front of a PostgreSQL without it, with a self-signed certificate. */
export class TlsFront {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly folder: string,
  ) {}

  static async before(target: URL): Promise<TlsFront> {
    const folder = await mkdtemp(path.join(tmpdir(), 'waystation-test-'));
    const [keyFile, file] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', keyFile, '-out', file];
    await promisify(execFile)('openssl', [...made, ...names]);
    const [key, cert] = [await readFile(keyFile), await readFile(file)];
    const server = createServer();
    const front = new TlsFront(server, folder);
    server.on('connection', (near) => void front.join(near, target, { key, cert }).catch(() => near.destroy()));
    server.listen(0, 'localhost');
    await once(server, 'listening');
    return front;
  }

  /** The certificate authority: the self-signed certificate itself. */
  get authority(): string {
    return path.join(this.folder, 'certificate.pem');
  }

  urlOf(databaseUrl: string, query: string): string {
    const url = new URL(databaseUrl);
    url.hostname = 'localhost';
    url.port = String((this.server.address() as AddressInfo).port);
    return `${url.href}?${query}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    await rm(this.folder, { recursive: true, force: true });
  }

  private async join(near: Socket, target: URL, identity: { key: Buffer; cert: Buffer }): Promise<void> {
    this.sockets.add(near);
    near.on('error', () => near.destroy());
    const [request] = (await once(near, 'data')) as [Buffer];
    if (request.length !== 8 || request.readInt32BE(4) !== SSL_REQUEST) return void near.destroy();
    near.write('S');
    const secure = new TLSSocket(near, { isServer: true, ...identity });
    const far = connect(Number(target.port), target.hostname);
    this.sockets.add(far);
    for (const [from, to] of [
      [secure, far],
      [far, secure],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }
}
