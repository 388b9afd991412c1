import { SetMetadata, createParamDecorator, type CustomDecorator, type ExecutionContext } from '@nestjs/common';
import type { IngestionConfig } from '../../config/ingestion.config.js';
import type { ApiRequest } from '../api-request.js';

export const RAW_BODY = 'waystation:raw-body';

export interface RawBodyOptions {
  /** Bytes at most, sent and decompressed; more is a 413. */
  limitBytes: number | ((ingestion: IngestionConfig) => number);
  /** `json` refuses other content types with 415; `any` takes everything. */
  contentType: 'json' | 'any';
}

const EMPTY = Buffer.alloc(0);

/** Gives the route the body as bytes, decompressed but not parsed. */
export function RawBody(options: RawBodyOptions): CustomDecorator {
  return SetMetadata(RAW_BODY, options);
}

/** The bytes of the body on a route with `@RawBody`; empty when there was none. */
export const RawBytes = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Buffer =>
    context.switchToHttp().getRequest<ApiRequest>().rawBody ?? EMPTY,
);
