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

/** Refuses requests by their headers and path before their bodies are read, even those without a body. */
export abstract class BodyGate {
  /** @throws DomainError if the body would be useless */
  abstract check(request: ApiRequest): void | Promise<void>;
}

/** Lets a provider decide on each request of the route before its body is read. */
export function Gate(gate: Type<BodyGate>): CustomDecorator {
  return SetMetadata(BODY_GATE, gate);
}

export interface RawBodyOptions {
  /** Most bytes, both sent and decompressed; more is a 413. */
  limitBytes: number | ((ingestion: IngestionConfig) => number);
  /** `json` and `json-lines` refuse other content types with 415; `any` accepts everything. */
  contentType: 'json' | 'json-lines' | 'any';
  /** The route reads the body itself, with `@BodyStream`: its lines, each up to `limitBytes`, or its bytes, without a limit here. */
  streamed?: 'lines' | 'bytes';
}

/** Passes the body to the route as bytes, decompressed but not parsed. */
export function RawBody(options: RawBodyOptions): CustomDecorator {
  return SetMetadata(RAW_BODY, options);
}

/** The bytes of the body on a route with `@RawBody`; empty without a body. */
export const RawBytes = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Buffer =>
    context.switchToHttp().getRequest<ApiRequest>().rawBody ?? EMPTY,
);

/** The lines or bytes of the body, as they arrive, on a route whose `@RawBody` is streamed; none when there was no body. */
export const BodyStream = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AsyncGenerator<Buffer> =>
    context.switchToHttp().getRequest<ApiRequest>().bodyStream ?? nothing(),
);

async function* nothing(): AsyncGenerator<Buffer> {}
