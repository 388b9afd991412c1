import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line of one request says about it. */
export interface RequestContext {
  readonly requestId: string;
}

/** The request that the running code works for; nothing outside of one. */
export const requestContext = new AsyncLocalStorage<RequestContext>();
