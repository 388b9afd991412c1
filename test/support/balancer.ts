import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes each request on to its current target with unchanged headers, like a load balancer. */
export class Balancer {
  private constructor(
    private readonly server: Server,
    public target: string,
  ) {}

  static async start(target: string): Promise<Balancer> {
    const server = createServer();
    const balancer = new Balancer(server, target);
    server.on('request', (incoming, answer) => {
      const { method, headers } = incoming;
      const outgoing = request(
        new URL(incoming.url ?? '/', balancer.target),
        { method, headers, agent: false },
        (got) => {
          answer.writeHead(got.statusCode ?? 502, got.headers);
          got.pipe(answer);
        },
      );
      outgoing.on('error', () => answer.destroy());
      answer.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Breaks what is open. */
  disconnect(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.disconnect();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
