import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A way to a server on which something else can happen before a request arrives. */
export class PausingLink {
  /** Awaited before each request is passed on. */
  before: (body: string) => Promise<void> = () => Promise.resolve();
  private readonly server: Server;

  private constructor(private readonly target: string) {
    this.server = createServer((near, response) => void this.pass(near, response));
  }

  static async to(target: string): Promise<PausingLink> {
    const link = new PausingLink(target);
    await new Promise<void>((resolve) => link.server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(near: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(near).catch(() => null);
    if (body === null) return;
    await this.before(body.toString('utf8'));
    const { method, headers } = near;
    const far = request(new URL(near.url!, this.target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    far.on('error', () => near.socket.destroy());
    response.once('close', () => far.destroy());
    far.end(body);
  }
}
