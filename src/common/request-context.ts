import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts that every log line of a request has. */
export interface RequestContext {
  readonly requestId: string;
}

/** The request that the running code serves; undefined outside requests. */
export const requestContext = new AsyncLocalStorage<RequestContext>();
