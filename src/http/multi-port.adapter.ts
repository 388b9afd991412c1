import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiHttpAdapter } from './api-http.adapter.js';
import type { RequestEntry } from './request-entry.js';

/** The same application on several ports and sockets. Handlers tell ports apart by the local port of the connection. */
export class MultiPortAdapter extends ApiHttpAdapter {
  private readonly servers: Server[] = [];

  /**
   * Listens on one more port, 0 for any. Answers the port.
   * @param entry what requests to this port pass instead of what all others do
   * @throws as `server.listen` does
   */
  async listenOn(port: number, host: string, entry?: RequestEntry): Promise<number> {
    const server = this.newServer(entry);
    server.listen(port, host);
    await this.listening(server);
    return (server.address() as AddressInfo).port;
  }

  /**
   * Listens on a Unix socket, too.
   * @throws as `server.listen` does
   */
  async listenOnPath(path: string): Promise<void> {
    const server = this.newServer();
    server.listen(path);
    await this.listening(server);
  }

  /** Takes no more connections on a port of `listenOn`; requests under way are answered. */
  stopListening(port: number): void {
    const server = this.servers.find((one) => (one.address() as AddressInfo | null)?.port === port);
    if (server === undefined) return;
    server.close(() => this.servers.splice(this.servers.indexOf(server), 1));
    server.closeIdleConnections();
  }

  override async close(): Promise<undefined> {
    this.release();
    return super.close();
  }

  /** Closes the ports at once; before the adapter has an application there is nothing else to close. */
  release(): void {
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
  }

  protected override listeners(): Server[] {
    return [...super.listeners(), ...this.servers];
  }

  private async listening(server: Server): Promise<void> {
    await once(server, 'listening');
    this.servers.push(server);
  }
}
