import { connect, type Socket } from 'node:net';

export interface StalledBody {
  path: string;
  /** Bytes that are announced; all but the last are sent. */
  length: number;
  headers?: Record<string, string>;
}

/** Connections whose requests never end: all of the body is sent but its last byte. */
export class StalledSenders {
  private readonly sockets: Socket[] = [];

  constructor(private readonly baseUrl: string) {}

  open({ path, length, headers = {} }: StalledBody): void {
    const { hostname, port, host } = new URL(this.baseUrl);
    const socket = connect(Number(port), hostname);
    // A server that refuses them may cut them off.
    socket.on('error', () => undefined);
    const lines = Object.entries({ host, 'content-length': String(length), ...headers });
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    socket.write(Buffer.alloc(length - 1, 0x20));
    this.sockets.push(socket);
  }

  /** Ends them all. */
  close(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }
}
