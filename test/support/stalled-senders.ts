import { connect, type Socket } from 'node:net';

export interface StalledBody {
  path: string;
  method?: string;
  /** Announced bytes. */
  length: number;
  /** Sent bytes: by default all but the last. */
  sent?: number;
  headers?: Record<string, string>;
}

/** Connections whose request bodies never end. */
export class StalledSenders {
  private readonly sockets: Socket[] = [];

  constructor(private readonly baseUrl: string) {}

  open({ path, method = 'POST', length, sent = length - 1, headers = {} }: StalledBody): void {
    const { hostname, port, host } = new URL(this.baseUrl);
    const socket = connect(Number(port), hostname);
    // A server that refuses them may cut the connection.
    socket.on('error', () => undefined);
    const lines = Object.entries({ host, 'content-length': String(length), ...headers });
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    socket.write(Buffer.alloc(sent, 0x20));
    this.sockets.push(socket);
  }

  /** Ends them all. */
  close(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }
}
