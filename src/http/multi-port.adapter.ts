import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiHttpAdapter } from './api-http.adapter.js';

/** The same application on several ports. Handlers tell them apart by the local port of the connection. */
export class MultiPortAdapter extends ApiHttpAdapter {
  private readonly servers: Server[] = [];

  /**
   * Listens on one more port, 0 for any. Answers the port.
   * @throws as `server.listen` does
   */
  async listenOn(port: number, host: string): Promise<number> {
    const server = this.newServer();
    server.listen(port, host);
    await once(server, 'listening');
    this.servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  override async beforeClose(): Promise<void> {
    await super.beforeClose();
    await Promise.all(this.servers.map((server) => this.drain(server)));
  }

  override async close(): Promise<undefined> {
    this.release();
    return super.close();
  }

  /** Gives the ports back at once; all there is to close before an application has been made of the adapter. */
  release(): void {
    for (const server of this.servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}
