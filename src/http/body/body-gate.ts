import type { ApiRequest } from '../api-request.js';

/** Turns requests away before their bodies are read, by what can be known by then. */
export abstract class BodyGate {
  /** @throws DomainError when the body would be of no use */
  abstract check(request: ApiRequest): Promise<void>;
}
