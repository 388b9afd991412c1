import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile, type HttpServer } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Application, type ErrorRequestHandler } from 'express';
import { extendHeads } from './answer-head.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { answerClientError } from './client-error.js';
import { problem, sendProblem, type Problem } from './problem.js';
import type { RequestEntry } from './request-entry.js';
import { pathOf } from './request-path.js';
import { RouteTable, type RouterLayer } from './route-table.js';
import { endWithJson } from './send-json.js';
import { routeNotFound, unmatchedRoute } from './unmatched-route.js';

/** Longer than proxies and clients keep idle connections, so that they close them first and no request is lost. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/**
 * The first 64 KiB arrive together with the headers. With node's own 16 KiB nearly every body would make the stream stop
 * the socket while the guard runs, and start it again.
 */
const HIGH_WATER_MARK_BYTES = 128 * 1024;
const DRAIN_CHECK_MS = 25;
/** How Express knows them. */
const ERROR_HANDLER_PARAMETERS = 4;

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

/** The objects that express makes the prototypes of requests and responses. */
interface ExpressPrototypes {
  request: object;
  response: object;
}

export interface ApiHttpAdapterOptions {
  entry: RequestEntry;
  /** Milliseconds for requests in flight when the server closes. */
  drainTimeoutMs: number;
}

/** Nest's Express adapter on our own server: with the entry before routing, routes in a table, fast prototypes and a draining close. */
export class ApiHttpAdapter extends ExpressAdapter {
  private readonly sockets = new Set<Socket>();
  /** Called when closing begins, before the wait for requests in flight. */
  onClosing: () => void = () => undefined;
  private readonly application: Application;
  private classes?: ReturnType<typeof requestClasses>;
  private table: RouteTable | null = null;
  /** The framework's own first layers, which serve hooks alone: nothing is missed without them as long as there is no hook. */
  private hookLayers: number;

  constructor(private readonly settings: ApiHttpAdapterOptions) {
    const application = express();
    application.disable('x-powered-by');
    application.disable('etag');
    super(application);
    this.application = application;
    this.hookLayers = this.layers().length;
  }

  override initHttpServer(): void {
    this.setHttpServer(this.newServer());
  }

  /** A server, not listening yet, whose requests the application answers once they have passed the entry. */
  protected newServer(entry: RequestEntry = this.settings.entry): Server {
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      const api = request as ApiRequest;
      entry.enter(api, response as ApiResponse, () => this.route(api, response as ApiResponse));
    };
    this.classes ??= requestClasses(this.application);
    const options = { ...this.classes, requireHostHeader: false, highWaterMark: HIGH_WATER_MARK_BYTES };
    const server = createServer(options, listener);
    server.on('connection', (socket) => this.track(socket));
    server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
    server.on('clientError', answerClientError);
    // The interim answer goes out just before the body is read, so that a caller without a token never sends its body.
    server.on('checkContinue', listener);
    server.on('checkExpectation', (request, response) => this.refuse(entry, request, response, UNKNOWN_EXPECTATION));
    server.on('connect', (request, socket) => {
      const response = new this.classes!.ServerResponse(request);
      response.assignSocket(socket as Socket);
      response.once('finish', () => socket.end());
      this.refuse(entry, request, response, NO_TUNNEL);
    });
    return server;
  }

  /** Hands the request to the handler of its route as Express does, to which it leaves what the table does not find. */
  private route(request: ApiRequest, response: ApiResponse): void {
    this.table ??= new RouteTable(this.layers(), this.hookLayers);
    const found = this.table.find(request.method, request.url);
    if (found === null) return void this.application(request, response);
    const next = (error?: unknown): void => this.leave(error, request, response);
    request.baseUrl = '';
    request.originalUrl = request.url;
    request.next = next;
    request.res = response;
    request.route = found.route;
    request.params = found.params;
    carryOut(() => found.handle(request, response, next), next);
  }

  /** A handler of the framework answers, and turns its failures into answers; this is for one that does neither. */
  private leave(error: unknown, request: ApiRequest, response: ApiResponse): void {
    const last = this.layers().find(({ handle }) => handle.length === ERROR_HANDLER_PARAMETERS);
    const cause = error ?? routeNotFound();
    const giveUp = (): void => void response.destroy();
    if (last === undefined || response.headersSent) return giveUp();
    carryOut(() => (last.handle as unknown as ErrorRequestHandler)(cause, request, response, giveUp), giveUp);
  }

  private layers(): readonly RouterLayer[] {
    return this.application.router.stack as unknown as readonly RouterLayer[];
  }

  override setOnRequestHook(...args: Parameters<ExpressAdapter['setOnRequestHook']>): void {
    this.hookLayers = 0;
    super.setOnRequestHook(...args);
  }

  override setOnResponseHook(...args: Parameters<ExpressAdapter['setOnResponseHook']>): void {
    this.hookLayers = 0;
    super.setOnResponseHook(...args);
  }

  /** Answers requests that never reach the routes. It closes the connection, because the caller may send anything else on it. */
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

  /** Sends JSON without Express's content-type handling; other answers, and a possible 304, go the usual way. */
  override reply(response: ApiResponse, body: unknown, statusCode?: number): unknown {
    if (!isPlainJson(body) || response.hasHeader('ETag') || response.hasHeader('Content-Type')) {
      // Express answers 304 to `If-None-Match: *` even where the answer has no ETag.
      if (!response.hasHeader('ETag')) delete response.req.headers['if-none-match'];
      return super.reply(response, body, statusCode);
    }
    if (statusCode !== undefined) response.statusCode = statusCode;
    return endWithJson(response, JSON.stringify(body));
  }

  /** Nest runs this first when the application closes, and waits for it: nothing may shut down under a request in progress. */
  override beforeClose(): ReturnType<NonNullable<HttpServer['beforeClose']>> {
    super.beforeClose();
    this.onClosing();
    // All at once: none keeps accepting during the wait for another, and there is one time limit.
    return Promise.all(this.listeners().map((server) => this.drain(server)));
  }

  override async close(): Promise<undefined> {
    (this.getHttpServer() as Server).closeAllConnections();
    return undefined;
  }

  /** The servers that accept requests. */
  protected listeners(): Server[] {
    return [this.getHttpServer()];
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  /** Stops listening and waits until all requests are answered, but not for ever. */
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

/**
 * Express sets the prototype of every request and response, which makes the engine forget what it knows about their shape.
 * Where they are created with that prototype, setting it changes nothing: a fifth to a quarter more requests per second.
 */
function requestClasses(application: Application & Partial<ExpressPrototypes>) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse<ExpressRequest> {}
  Object.setPrototypeOf(ExpressRequest.prototype, application.request ?? null);
  Object.setPrototypeOf(ExpressResponse.prototype, application.response ?? null);
  extendHeads(ExpressResponse.prototype);
  Object.assign(application, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

function isPlainJson(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !(body instanceof Error);
}

/** Not all handlers are asynchronous: those that packages add may throw at once. */
function carryOut(handle: () => unknown, onError: (error: unknown) => void): void {
  try {
    const answer = handle();
    if (answer instanceof Promise) answer.catch(onError);
  } catch (error) {
    onError(error);
  }
}
