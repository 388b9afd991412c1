import { Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { IngestionConfig } from '../config/ingestion.config.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { invalidToken } from '../common/invalid-token.js';
import { RoutePolicies, type RoutePolicy } from './route-policy.js';
import { TokenRecheck } from './token-recheck.js';
import { bodyBytes, linesOf } from './body/body-stream.js';
import { BodyBudget } from './body/body-budget.js';
import { BodyReader } from './body/body-reader.js';
import type { BodyGate, RawBodyOptions } from './body.decorators.js';
import { checkJsonContentType, checkJsonLinesContentType } from './body/content-type.js';
import { parseJsonBody } from './body/json-body.js';

const MEBIBYTE = 1024 * 1024;
const JSON_LIMIT_BYTES = MEBIBYTE;
/** Largest JSON body of a public route. */
const PUBLIC_JSON_LIMIT_BYTES = 4 * 1024;
/** Room reserved for small bodies, so that large ones never crowd them out. */
const SMALL_BODIES_BYTES = 16 * MEBIBYTE;
/** Each decompression occupies one of four threads, which SQLite also needs. */
const DECOMPRESSIONS = 2;
/** For all callers without a token together: messaging platforms, senders of webhooks, and anybody else. */
const ANONYMOUS_LIMITS = {
  budget: [16 * MEBIBYTE, 4 * MEBIBYTE] as const,
  decompressions: 1,
  timeoutMs: 15_000,
  /** Platforms' JSON compresses to a tenth; a body that compresses to a thousandth is an attack. */
  maxRatio: 16,
};
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Reads the body once the bearer guard has admitted the caller. A guard, not an interceptor: a single interceptor would send every request
 * through a chain of observables.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly authenticated: BodyReader;
  private readonly anonymous: BodyReader;

  constructor(
    private readonly policies: RoutePolicies,
    private readonly ingestion: IngestionConfig,
    private readonly modules: ModuleRef,
  ) {
    const largeBytes = Math.max(ingestion.queueMaxBytes, 2 * ingestion.maxBodyBytes);
    const budget = new BodyBudget(largeBytes + SMALL_BODIES_BYTES, SMALL_BODIES_BYTES);
    this.authenticated = new BodyReader({ budget, decompressions: DECOMPRESSIONS, timeoutMs: null, maxRatio: null });
    this.anonymous = new BodyReader({ ...ANONYMOUS_LIMITS, budget: new BodyBudget(...ANONYMOUS_LIMITS.budget) });
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const policy = request.policy ?? this.policies.of(context.getClass(), context.getHandler());
    return this.read(request, http.getResponse<ApiResponse>(), policy);
  }

  /** Stores the body on the request in the form that the route wants. @throws DomainError if the route does not accept it */
  read(request: ApiRequest, response: ApiResponse, policy: RoutePolicy): true | Promise<true> {
    if (!WITH_BODY.has(request.method)) return true;
    if (policy.bodyGate) return this.readBehind(policy.bodyGate, request, response, policy);
    return hasBody(request) ? this.readAs(policy, request, response) : true;
  }

  private async readBehind(
    gate: Type<BodyGate>,
    request: ApiRequest,
    response: ApiResponse,
    policy: RoutePolicy,
  ): Promise<true> {
    await this.modules.get<BodyGate>(gate, { strict: false }).check(request);
    return hasBody(request) ? this.readAs(policy, request, response) : true;
  }

  private readAs({ rawBody, isPublic }: RoutePolicy, request: ApiRequest, response: ApiResponse): Promise<true> {
    if (rawBody !== null) return this.readRaw(request, response, rawBody);
    return this.readJson(request, response, isPublic ? PUBLIC_JSON_LIMIT_BYTES : JSON_LIMIT_BYTES);
  }

  private async readJson(request: ApiRequest, response: ApiResponse, limitBytes: number): Promise<true> {
    checkJsonContentType(request.headers['content-type']);
    request.body = parseJsonBody(await this.bytesOf(request, response, limitBytes));
    return true;
  }

  private async readRaw(request: ApiRequest, response: ApiResponse, options: RawBodyOptions): Promise<true> {
    if (options.contentType === 'json') checkJsonContentType(request.headers['content-type']);
    if (options.contentType === 'json-lines') checkJsonLinesContentType(request.headers['content-type']);
    const { limitBytes } = options;
    const limit = typeof limitBytes === 'function' ? limitBytes(this.ingestion) : limitBytes;
    if (options.streamed) {
      const recheck = new TokenRecheck(request.isStillAdmitted);
      const bytes = bodyBytes(request, response, (trustMs) => recheck.holds(trustMs));
      request.bodyStream = options.streamed === 'lines' ? linesOf(bytes, limit) : bytes;
    } else request.rawBody = await this.bytesOf(request, response, limit);
    return true;
  }

  private bytesOf(request: ApiRequest, response: ApiResponse, limitBytes: number): Promise<Buffer> {
    const isKnown = request.principal !== undefined || request.isProven === true;
    const options = { limitBytes, admitAgain: isToBeAskedAgain(request) ? () => admitAgain(request) : null };
    return (isKnown ? this.authenticated : this.anonymous).read(request, response, options);
  }
}

/** A token may be revoked or expire between a request's headers and the last byte of its body. */
function isToBeAskedAgain({ isStillAdmitted, hadArrived }: ApiRequest): boolean {
  return isStillAdmitted !== undefined && hadArrived !== true;
}

async function admitAgain(request: ApiRequest): Promise<void> {
  if (!(await request.isStillAdmitted?.())) throw invalidToken();
}

function hasBody({ headers }: ApiRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
