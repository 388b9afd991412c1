import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request that triggers the break. */
export interface FatalRequest {
  method: string;
  path: RegExp;
  /** Text in its body. */
  says?: string;
  /** Whether the server receives it; the response is lost in either case. */
  arrives: boolean;
}

/** A proxy that breaks at one request: then nobody listens there until it is opened again. */
export class FatalLink {
  private server: Server | null = null;

  /**
   * @param port where it listens
   * @param target the server
   * @param onBreak awaited before anybody can notice
   */
  constructor(
    private readonly port: number,
    private readonly target: string,
    private readonly fatal: FatalRequest,
    private readonly onBreak: () => Promise<void>,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @param isFatal whether it breaks this time */
  async open(isFatal = false): Promise<void> {
    const server = createServer((near, response) => void this.pass(near, response, isFatal));
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  private async pass(near: IncomingMessage, response: ServerResponse, isFatal: boolean): Promise<void> {
    const body = await buffer(near).catch(() => null);
    if (body === null || this.server === null) return;
    const { method, path, says = '', arrives } = this.fatal;
    const isAtEnd = isFatal && near.method === method && path.test(near.url!) && body.includes(says);
    if (isAtEnd && !arrives) return this.break();
    const far = request(new URL(near.url!, this.target), { method: near.method, headers: near.headers }, (answer) => {
      if (isAtEnd) return void answer.resume().once('end', () => void this.break());
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    far.on('error', () => near.socket.destroy());
    response.once('close', () => far.destroy());
    far.end(body);
  }

  private async break(): Promise<void> {
    await this.onBreak();
    await this.close();
  }
}
