import { SetMetadata, type CustomDecorator, type Type } from '@nestjs/common';
import type { ApiRequest } from '../api-request.js';

/** Metadata key for a route's gate. */
export const BODY_GATE = 'waystation:body-gate';

/** Refuses requests before their bodies are read, by their headers and path; also those without a body. */
export abstract class BodyGate {
  /** @throws DomainError when the body would be of no use */
  abstract check(request: ApiRequest): void | Promise<void>;
}

/** Has a provider decide on each request of the route before its body is read. */
export function Gate(gate: Type<BodyGate>): CustomDecorator {
  return SetMetadata(BODY_GATE, gate);
}
