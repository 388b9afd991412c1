import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { IngestionConfig } from '../../config/ingestion.config.js';
import type { ApiRequest, ApiResponse } from '../api-request.js';
import { invalidToken } from '../invalid-token.js';
import { RoutePolicies } from '../route-policy.js';
import { BodyBudget, collectBody } from './collect-body.js';
import { checkContentCoding, decodeContent } from './content-coding.js';
import { checkJsonContentType } from './content-type.js';
import { parseJsonBody } from './json-body.js';
import type { RawBodyOptions } from './raw-body.options.js';

const JSON_LIMIT_BYTES = 1024 * 1024;
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Reads the body once the bearer guard has let the caller in. It is a guard and not an interceptor because a single
 * interceptor would send every request of the application through a chain of observables.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly budget: BodyBudget;

  constructor(
    private readonly policies: RoutePolicies,
    private readonly ingestion: IngestionConfig,
  ) {
    this.budget = new BodyBudget(Math.max(ingestion.queueMaxBytes, 2 * ingestion.maxBodyBytes));
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    if (!WITH_BODY.has(request.method) || !hasBody(request)) return true;
    const { rawBody } = request.policy ?? this.policies.of(context.getClass(), context.getHandler());
    const response = http.getResponse<ApiResponse>();
    return rawBody === null ? this.readJson(request, response) : this.readRaw(request, response, rawBody);
  }

  private async readJson(request: ApiRequest, response: ApiResponse): Promise<true> {
    checkJsonContentType(request.headers['content-type']);
    request.body = parseJsonBody(await this.read(request, response, JSON_LIMIT_BYTES));
    return true;
  }

  private async readRaw(request: ApiRequest, response: ApiResponse, options: RawBodyOptions): Promise<true> {
    if (options.contentType === 'json') checkJsonContentType(request.headers['content-type']);
    const { limitBytes } = options;
    const limit = typeof limitBytes === 'function' ? limitBytes(this.ingestion) : limitBytes;
    request.rawBody = await this.read(request, response, limit);
    return true;
  }

  private read(request: ApiRequest, response: ApiResponse, limitBytes: number): Promise<Buffer> {
    const coding = checkContentCoding(request.headers['content-encoding']);
    const collected = collectBody(request, response, limitBytes, this.budget);
    const sent = isToBeAskedAgain(request) ? collected.then((body) => admitAgain(request, body)) : collected;
    return coding === 'identity' ? sent : sent.then((body) => decodeContent(coding, body, limitBytes));
  }
}

/** A token may be revoked, or expire, between the headers of a request and the last byte of its body. */
function isToBeAskedAgain({ isStillAdmitted, hadArrived }: ApiRequest): boolean {
  return isStillAdmitted !== undefined && hadArrived !== true;
}

async function admitAgain(request: ApiRequest, body: Buffer): Promise<Buffer> {
  if (await request.isStillAdmitted?.()) return body;
  throw invalidToken();
}

function hasBody({ headers }: ApiRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
