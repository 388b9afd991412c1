import type { components } from './openapi.gen.js';

export type ProblemBody = components['schemas']['ProblemDto'];

/** A request that the server refused, with its message. */
export class Problem extends Error {
  constructor(readonly body: ProblemBody) {
    super(body.detail ?? body.title);
    this.name = 'Problem';
  }

  get status(): number {
    return this.body.status;
  }
}

/** Whether the session may not do this at all. */
export function isForbidden(error: Error | null): boolean {
  return error instanceof Problem && error.status === 403;
}

/** The server did not respond: it is down or restarting, or the network is away. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('Waystation does not answer.', { cause });
    this.name = 'Unreachable';
  }
}
