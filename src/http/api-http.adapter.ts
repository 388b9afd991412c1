import { once } from 'node:events';
import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { StreamableFile, type HttpServer } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Application } from 'express';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { respondToClientError } from './client-error.js';
import type { FastLane } from './fast-lane.js';
import { problem, sendProblem, type Problem } from './problem.js';
import type { RequestEntry } from './request-entry.js';
import { pathOf } from './request-target.js';
import { setHeaders } from './response-head.js';
import { endWithJson } from './send-json.js';
import { unmatchedRoute } from './unmatched-route.js';

/** Longer than proxies and clients keep idle connections, so that they close them first and no request is lost. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/**
 * The first 64 KiB arrive together with the headers. With Node's default of 16 KiB, nearly every body would make the stream pause the
 * socket while the guard runs.
 */
const HIGH_WATER_MARK_BYTES = 128 * 1024;
/**
 * For a whole request. Node's default is five minutes, but files for chats may take ten (`attachment.responses.ts`). Bodies of callers
 * without a token get far less; see `body.guard.ts`.
 */
const REQUEST_TIMEOUT_MS = 11 * 60_000;
const DRAIN_CHECK_MS = 25;

const UNKNOWN_EXPECTATION = problem(
  417,
  'expectation_failed',
  'The server supports only the expectation 100-continue.',
  'info',
);
const NO_TUNNEL: Problem = {
  ...problem(405, 'method_not_allowed', 'CONNECT is not possible here: this is not a proxy.', 'info'),
  headers: { Allow: '' },
};

export interface ApiHttpAdapterOptions {
  entry: RequestEntry;
  /** Milliseconds for requests in progress when the server closes. */
  drainTimeoutMs: number;
}

/**
 * Nest's Express adapter on our own servers: with the entry before routing, a fast lane for some routes, and a draining close. The same
 * application may listen on several ports and sockets; handlers tell ports apart by the connection's local port.
 */
export class ApiHttpAdapter extends ExpressAdapter {
  private readonly sockets = new Set<Socket>();
  /** Servers beside Nest's own. */
  private readonly furtherServers: Server[] = [];
  /** Called when closing begins, before the wait for requests in progress. */
  onClosing: () => void = () => undefined;
  /** Takes requests before Express does. */
  fastLane: FastLane | null = null;
  private readonly application: Application;
  /** The last response on each connection. */
  private readonly responses = new WeakMap<Duplex, ServerResponse>();

  constructor(private readonly settings: ApiHttpAdapterOptions) {
    const application = express();
    application.disable('x-powered-by');
    application.disable('etag');
    super(application);
    this.application = application;
  }

  override initHttpServer(): void {
    this.setHttpServer(this.newServer());
  }

  /** A server, not listening yet, whose requests reach the application after the entry. */
  private newServer(entry: RequestEntry = this.settings.entry): Server {
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      const api = request as ApiRequest;
      this.responses.set(request.socket, response);
      entry.enter(api, response as ApiResponse, () => {
        if (this.fastLane?.take(api, response as ApiResponse)) return;
        setHeaders(response, []);
        this.application(api, response as ApiResponse);
      });
    };
    const options = {
      requireHostHeader: false,
      highWaterMark: HIGH_WATER_MARK_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
    };
    const server = createServer(options, listener);
    server.on('connection', (socket) => this.track(socket));
    server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
    server.on('clientError', (error, socket) => respondToClientError(error, socket, this.responses.get(socket)));
    // 100 Continue is sent just before the body is read, so that a caller without a token never sends its body.
    server.on('checkContinue', listener);
    server.on('checkExpectation', (request, response) => this.refuse(entry, request, response, UNKNOWN_EXPECTATION));
    server.on('connect', (request, socket) => {
      const response = new ServerResponse(request);
      response.assignSocket(socket as Socket);
      response.once('finish', () => socket.end());
      this.refuse(entry, request, response, NO_TUNNEL);
    });
    return server;
  }

  /** Responds to requests that never reach the routes. Closes the connection, because the caller may send anything next. */
  private refuse(entry: RequestEntry, request: IncomingMessage, response: ServerResponse, refusal: Problem): void {
    const api = request as ApiRequest;
    response.setHeader('Connection', 'close');
    entry.enter(api, response as ApiResponse, () => {
      api.failure = { code: refusal.code, level: refusal.level };
      sendProblem(response, refusal, pathOf(api));
    });
  }

  override setNotFoundHandler(): void {
    this.application.use(unmatchedRoute(this.application));
  }

  /** Sends JSON without Express's content-type handling; other responses, and a possible 304, go the usual way. */
  override reply(response: ApiResponse, body: unknown, statusCode?: number): unknown {
    if (!isPlainJson(body) || response.hasHeader('ETag') || response.hasHeader('Content-Type')) {
      // Express sends 304 for `If-None-Match: *` even if the response has no ETag.
      if (!response.hasHeader('ETag')) delete response.req.headers['if-none-match'];
      return super.reply(response, body, statusCode);
    }
    if (statusCode !== undefined) response.statusCode = statusCode;
    return endWithJson(response, JSON.stringify(body));
  }

  /** Nest calls and awaits this before it closes anything else, so that nothing shuts down under a request in progress. */
  override beforeClose(): ReturnType<NonNullable<HttpServer['beforeClose']>> {
    super.beforeClose();
    this.onClosing();
    // All at once: no server accepts requests while another drains, and all share one time limit.
    return Promise.all([this.getHttpServer(), ...this.furtherServers].map((server: Server) => this.drain(server)));
  }

  override async close(): Promise<undefined> {
    this.release();
    (this.getHttpServer() as Server).closeAllConnections();
    return undefined;
  }

  /**
   * Listens on another port, 0 for any. Returns the port.
   * @param entry replaces the common entry on this port
   * @throws as `server.listen`
   */
  async listenOn(port: number, host: string, entry?: RequestEntry): Promise<number> {
    const server = this.newServer(entry);
    await this.listening(server.listen(port, host));
    return (server.address() as AddressInfo).port;
  }

  /**
   * Also listens on a Unix socket.
   * @throws as `server.listen`
   */
  async listenOnPath(path: string): Promise<void> {
    await this.listening(this.newServer().listen(path));
  }

  /** Takes no more connections on a port of `listenOn`; requests in progress are completed. */
  stopListening(port: number): void {
    const servers = this.furtherServers;
    const server = servers.find((one) => (one.address() as AddressInfo | null)?.port === port);
    server?.close(() => servers.splice(servers.indexOf(server), 1));
    server?.closeIdleConnections();
  }

  /** Closes the further ports at once. Nothing else is open before the adapter has an application. */
  release(): void {
    for (const server of this.furtherServers) {
      server.close();
      server.closeAllConnections();
    }
  }

  private async listening(server: Server): Promise<void> {
    await once(server, 'listening');
    this.furtherServers.push(server);
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** Stops listening and waits for requests in progress, with a limit. */
  private async drain(server: Server): Promise<void> {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Node does not close connections that become idle later.
    const sweep = setInterval(() => this.closeIdle(server), DRAIN_CHECK_MS);
    const limit = setTimeout(() => server.closeAllConnections(), this.settings.drainTimeoutMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
  }

  /** Node treats a connection without any traffic as busy. */
  private closeIdle(server: Server): void {
    server.closeIdleConnections();
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

function isPlainJson(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !(body instanceof Error);
}
