import {
  SetMetadata,
  createParamDecorator,
  type CustomDecorator,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import type { IngestionConfig } from '../config/ingestion.config.js';
import type { ApiRequest } from './api-request.js';

export const BODY_GATE = 'waystation:body-gate';
export const RAW_BODY = 'waystation:raw-body';
const EMPTY = Buffer.alloc(0);

/** Refuses requests before their bodies are read, by their headers and path; also those without a body. */
export abstract class BodyGate {
  /** @throws DomainError when the body would be of no use */
  abstract check(request: ApiRequest): void | Promise<void>;
}

/** Has a provider decide on each request of the route before its body is read. */
export function Gate(gate: Type<BodyGate>): CustomDecorator {
  return SetMetadata(BODY_GATE, gate);
}

export interface RawBodyOptions {
  /** Bytes at most, sent and decompressed; more is a 413. */
  limitBytes: number | ((ingestion: IngestionConfig) => number);
  /** `json` and `json-lines` refuse other content types with 415; `any` accepts everything. */
  contentType: 'json' | 'json-lines' | 'any';
  /** The route reads the body itself, line by line, with `@BodyLines`; `limitBytes` is a line's. */
  isStreamed?: true;
}

/** Passes the body to the route as bytes, decompressed but not parsed. */
export function RawBody(options: RawBodyOptions): CustomDecorator {
  return SetMetadata(RAW_BODY, options);
}

/** The bytes of the body on a route with `@RawBody`; empty when there was none. */
export const RawBytes = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Buffer =>
    context.switchToHttp().getRequest<ApiRequest>().rawBody ?? EMPTY,
);

/** The lines of the body, as they arrive, on a route whose `@RawBody` is streamed; none when there was no body. */
export const BodyLines = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AsyncGenerator<Buffer> =>
    context.switchToHttp().getRequest<ApiRequest>().bodyLines ?? noLines(),
);

async function* noLines(): AsyncGenerator<Buffer> {}
