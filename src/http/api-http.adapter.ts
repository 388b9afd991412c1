import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Application } from 'express';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { answerClientError } from './client-error.js';
import type { RequestEntry } from './request-entry.js';
import { unmatchedRoute } from './unmatched-route.js';

/** Longer than proxies and clients keep idle connections, so that it is they who close them and no request gets lost. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const DRAIN_CHECK_MS = 25;

/** The objects that express makes the prototypes of requests and responses. */
interface ExpressPrototypes {
  request: object;
  response: object;
}

export interface ApiHttpAdapterOptions {
  entry: RequestEntry;
  /** Milliseconds that requests in flight get when the server closes. */
  drainTimeoutMs: number;
}

/** The Express adapter of Nest on a server of our own making: with the entry before routing, quick prototypes and a drained close. */
export class ApiHttpAdapter extends ExpressAdapter {
  /** Called when closing begins, before requests in flight are waited for. */
  onClosing: () => void = () => undefined;
  private readonly application: Application;

  constructor(private readonly settings: ApiHttpAdapterOptions) {
    const application = express();
    application.disable('x-powered-by');
    application.disable('etag');
    super(application);
    this.application = application;
  }

  override initHttpServer(): void {
    const { entry } = this.settings;
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      const api = request as ApiRequest;
      entry.enter(api, response as ApiResponse, () => this.application(api, response as ApiResponse));
    };
    const server = createServer({ ...requestClasses(this.application), requireHostHeader: false }, listener);
    server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
    server.on('clientError', answerClientError);
    // The interim answer is sent when the body is about to be read, so that a caller without a token never sends it.
    server.on('checkContinue', listener);
    this.setHttpServer(server);
  }

  override setNotFoundHandler(): void {
    this.application.use(unmatchedRoute(this.application));
  }

  /** JSON without the detours of express over content types; the rest, and what may be a 304, goes its usual way. */
  override reply(response: ApiResponse, body: unknown, statusCode?: number): unknown {
    if (!isPlainJson(body) || response.hasHeader('ETag') || response.hasHeader('Content-Type')) {
      return super.reply(response, body, statusCode);
    }
    const text = JSON.stringify(body);
    if (statusCode !== undefined) response.statusCode = statusCode;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    return response.end(text);
  }

  /** Runs first of all when the application closes: nothing may be torn down under a request that is being served. */
  override async beforeClose(): Promise<void> {
    super.beforeClose();
    this.onClosing();
    await drain(this.getHttpServer() as Server, this.settings.drainTimeoutMs);
  }

  override async close(): Promise<undefined> {
    (this.getHttpServer() as Server).closeAllConnections();
    return undefined;
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
  Object.assign(application, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

function isPlainJson(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !(body instanceof Error);
}

/** Stops listening and waits until all requests are answered, at most `timeoutMs`. */
async function drain(server: Server, timeoutMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Connections that become idle later are not closed by node itself.
  const sweep = setInterval(() => server.closeIdleConnections(), DRAIN_CHECK_MS);
  const limit = setTimeout(() => server.closeAllConnections(), timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(limit);
}
