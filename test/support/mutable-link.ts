import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy that can fall silent: then nothing arrives, and no connection ends. */
export class MutableLink {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async to(target: URL, port = 0): Promise<MutableLink> {
    const server = createServer();
    const link = new MutableLink(server);
    server.on('connection', (near) => link.join(near, connect(Number(target.port), target.hostname)));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return link;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Silences the current connections; later ones work. */
  fallSilent(): void {
    for (const socket of this.sockets) socket.pause().unpipe();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => this.sockets.delete(from));
      from.pipe(to);
    }
  }
}
