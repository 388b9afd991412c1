import { SetMetadata, createParamDecorator, type CustomDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from '../api-request.js';
import { RAW_BODY, type RawBodyOptions } from './raw-body.options.js';

const EMPTY = Buffer.alloc(0);

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
