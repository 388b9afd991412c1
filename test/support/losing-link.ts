import { createServer, request, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A proxy that loses responses after the server has done its work, or runs something before a request arrives. */
export class LosingLink {
  /** Methods of requests whose next response is lost. */
  readonly losing: string[] = [];
  /** Number of lost responses. */
  lost = 0;
  /** Requests do not arrive either. */
  isCut = false;
  /** Nothing arrives any more, and no connection ends. */
  isSilent = false;
  /** Falls silent after the first response with this status. */
  lastStatus: number | null = null;
  /** Awaited, with the body, before each request is passed on. */
  before: ((body: string) => Promise<void>) | null = null;

  private constructor(private readonly server: Server) {}

  static async to(target: string): Promise<LosingLink> {
    const server = createServer((near, response) => {
      if (link.isCut) return near.socket.destroy();
      if (link.isSilent) return near.resume();
      const far = request(new URL(near.url!, target), { method: near.method, headers: near.headers }, (answer) => {
        if (link.isSilent) return answer.resume();
        const at = link.losing.indexOf(near.method!);
        if (at !== -1) {
          link.losing.splice(at, 1);
          link.lost += 1;
          answer.resume().on('end', () => near.socket.destroy());
          return;
        }
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
        link.isSilent = answer.statusCode === link.lastStatus;
      });
      far.on('error', () => near.socket.destroy());
      if (link.before) void passOnAfter(link.before, near, far);
      else near.pipe(far);
      return far;
    });
    const link = new LosingLink(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function passOnAfter(
  before: (body: string) => Promise<void>,
  near: IncomingMessage,
  far: ClientRequest,
): Promise<void> {
  const body = await buffer(near).catch(() => null);
  if (body === null) return void far.destroy();
  await before(body.toString());
  far.end(body);
}
