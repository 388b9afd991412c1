import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { PlatformError } from './channel-adapter.js';

/** A request as it goes through a proxy. */
export interface ProxiedRequest {
  method: string;
  url: URL;
  headers: Headers;
  body: string | undefined;
}

/** What `fetch` gives as well. */
export interface ProxiedAnswer {
  status: number;
  headers: Headers;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request through a tunnel of an HTTP proxy (CONNECT), which sees no more of it than where it goes. Each has a tunnel of its own.
 * @throws PlatformError where there is no tunnel, and so nothing was sent; the errors of `node:http` behind it
 */
export async function throughProxy(proxy: URL, call: ProxiedRequest, signal: AbortSignal): Promise<ProxiedAnswer> {
  const socket = await openTunnel(proxy, call.url, signal);
  const { method, url, headers, body } = call;
  const own = { host: url.host, ...Object.fromEntries(headers), ...(body === undefined ? {} : lengthOf(body)) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers: own, signal };
    const request =
      url.protocol === 'https:'
        ? https.request(url, {
            ...options,
            createConnection: () => connectTls({ socket, host: url.hostname, servername: nameOf(url) }),
          })
        : http.request(url, { ...options, createConnection: () => socket });
    request.once('error', reject).once('response', resolve).end(body);
  }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  return { status: answer.statusCode!, headers: headersOf(answer), body: answer };
}

function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  const place = `${target.hostname}:${port}`;
  const { request } = proxy.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const options = {
      method: 'CONNECT',
      path: place,
      headers: { host: place, ...proofOf(proxy) },
      signal,
      agent: false,
    };
    request(placeOf(proxy), options)
      .once('connect', ({ statusCode = 0 }, socket: Socket) => {
        if (statusCode >= 200 && statusCode < 300) return resolve(socket);
        socket.destroy();
        reject(new PlatformError(`the proxy lets nothing through to the platform (${statusCode})`, true));
      })
      .once('response', (answer: IncomingMessage) => {
        answer.destroy();
        reject(new PlatformError(`the proxy lets nothing through to the platform (${answer.statusCode})`, true));
      })
      .once('error', () => reject(new PlatformError('the proxy before the platform cannot be reached', true)))
      .end();
  });
}

/** Certificates name hosts, or addresses; only names are sent. */
function nameOf({ hostname }: URL): string {
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
}

function placeOf({ protocol, host }: URL): URL {
  return new URL(`${protocol}//${host}`);
}

function proofOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = [username, password].map((part) => unescaped(part)).join(':');
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** What is no percent code stands for itself. */
function unescaped(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'));
}

function lengthOf(body: string): Record<string, string> {
  return { 'content-length': String(Buffer.byteLength(body)) };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}
