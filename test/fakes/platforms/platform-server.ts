import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { formIn, type SentForm } from './form-data.js';

/** A request that a fake platform got. */
export interface PlatformRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Empty where there was none, or no JSON. */
  body: Record<string, unknown>;
  /** Of a body that is one. */
  form: SentForm | null;
  bytes: Buffer;
  /** When it came, of the monotonic clock. */
  atMs: number;
}

export interface PlatformReply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/**
 * What happens to a request instead of its usual answer: an answer as given; nothing ever; the connection breaks before or after
 * the platform did what was asked; half of an answer comes, and the connection breaks or nothing more comes; the answer is on its way when
 * the whole process stands still.
 */
export type Mishap = PlatformReply | 'hang' | 'break' | 'break-after' | 'half' | 'stall' | 'standstill';

/** Milliseconds for which the process of fake and test does nothing else. */
export const STANDSTILL_MS = 2_500;

interface Script {
  path: RegExp;
  mishap: Mishap;
}

/** What the fakes of all platforms have in common: they listen on loopback, note what they get, and fail as they are told. */
export class PlatformServer {
  readonly requests: PlatformRequest[] = [];
  /** Milliseconds before it reads the next bytes of a request, does what was asked, and answers. */
  pauseMs: () => number = () => 0;
  private readonly scripts: Script[] = [];
  private readonly server: Server;

  /** @param handle does what the platform does, and answers */
  constructor(private readonly handle: (request: PlatformRequest) => PlatformReply | Promise<PlatformReply>) {
    this.server = createServer({ keepAliveTimeout: 0 }, (request, response) => void this.answer(request, response));
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The next request to such a path meets with this; each script is used once. */
  failNext(path: RegExp, mishap: Mishap): void {
    this.scripts.push({ path, mishap });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  /** Its port and its connections are closed, whatever it is at; what it knows stays. @returns brings it back on the same port */
  async die(): Promise<() => Promise<void>> {
    const { port } = this.server.address() as AddressInfo;
    await this.close();
    return () => this.listen(port);
  }

  private async dawdle(): Promise<void> {
    const ms = this.pauseMs();
    if (ms > 0) await pause(ms, undefined, { ref: false });
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) {
        chunks.push(chunk as Buffer);
        await this.dawdle();
      }
    } catch {
      return;
    }
    const bytes = Buffer.concat(chunks);
    const isText = /json|urlencoded|text\/plain/.test(incoming.headers['content-type'] ?? 'json');
    const request: PlatformRequest = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: incoming.headers,
      body: isText ? parsed(bytes.toString()) : {},
      form: formIn(incoming.headers['content-type'], bytes),
      bytes,
      atMs: performance.now(),
    };
    this.requests.push(request);
    const at = this.scripts.findIndex(({ path }) => path.test(request.path));
    const [script] = at === -1 ? [] : this.scripts.splice(at, 1);
    if (script?.mishap === 'hang') return;
    if (script?.mishap === 'break') return void incoming.socket.destroy();
    const isReply = typeof script?.mishap === 'object';
    const reply = isReply ? (script.mishap as PlatformReply) : await this.handle(request);
    await this.dawdle();
    if (script?.mishap === 'break-after') return void incoming.socket.destroy();
    send(response, reply, script?.mishap === 'half' || script?.mishap === 'stall' ? script.mishap : null);
    if (script?.mishap === 'standstill') setImmediate(standStill);
  }
}

function send(response: ServerResponse, { status, body, headers }: PlatformReply, cut: 'half' | 'stall' | null): void {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  const size = headers?.['transfer-encoding'] === undefined ? { 'content-length': length } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...size, ...headers });
  if (cut === null) return void response.end(text);
  response.write(text.slice(0, Math.floor(text.length / 2)), () => void (cut === 'half' && response.destroy()));
}

function standStill(): void {
  const endMs = performance.now() + STANDSTILL_MS;
  while (performance.now() < endMs);
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** What a receiver made of a delivery. */
export interface Delivery {
  /** 0 where it could not be reached or did not answer in time. */
  status: number;
  body: string;
}

/** Posts to a receiver as a platform does, without following redirects. */
export async function deliver(
  url: string,
  headers: Record<string, string>,
  body: string | Buffer,
  timeoutMs = 10_000,
): Promise<Delivery> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  try {
    const text = typeof body === 'string' ? body : new Uint8Array(body);
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: text,
      redirect: 'manual',
      signal: limit.signal,
    });
    return { status: response.status, body: await response.text() };
  } catch {
    return { status: 0, body: '' };
  } finally {
    clearTimeout(timer);
  }
}
