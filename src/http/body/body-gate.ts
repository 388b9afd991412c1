import type { Request } from 'express';

/** Refuses requests before their bodies are read, by their headers and path. */
export abstract class BodyGate {
  /** @throws DomainError when the body would be of no use */
  abstract check(request: Request): Promise<void>;
}
