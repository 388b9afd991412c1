import { Injectable } from '@nestjs/common';
import { errorCode } from '../../../common/error-code.js';
import { callOut, CallTimedOut } from '../../../common/outbound-call.js';
import { trimEndOf } from '../../../common/trim-end.js';
import type { AgentAddress } from './agents.service.js';
import { readInvocation, unreachable, type Invocation } from './invocation.js';

export type { Invocation };

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Errors before a connection was made. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export interface InvocationRequest {
  /** The same for each try, so that the agent starts only one run. */
  idempotencyKey: string;
  /** JSON text of `{message, thread_id, run_id, context}`. */
  body: string;
}

/** Calls agents by `POST {endpoint}/invoke`. */
@Injectable()
export class AgentCallsService {
  /**
   * Hands a message to an agent within 15 seconds. Never throws: whatever the agent does is a result. An agent that answered too late may
   * have started a run; the next try with the same key finds it. Does not follow redirects, which would carry the token elsewhere.
   */
  async invoke(address: AgentAddress, request: InvocationRequest, stop: AbortSignal): Promise<Invocation> {
    try {
      const call = { ...callOf(address, request), timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES, stop };
      const { status, headers, bytes } = await callOut(call);
      // Truncated JSON cannot be parsed, so it is no response.
      return readInvocation(status, headers.get('retry-after'), bytes.toString('utf8'));
    } catch (error) {
      const mayHaveTaken = !UNSENT.has(codeOf(error) ?? '');
      return unreachable(reasonOf(error), mayHaveTaken);
    }
  }
}

function callOf({ endpoint, invokeToken }: AgentAddress, { idempotencyKey, body }: InvocationRequest) {
  const headers = new Headers({
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
    ...(invokeToken === null ? {} : { authorization: `Bearer ${invokeToken}` }),
  });
  return { method: 'POST' as const, url: new URL(`${trimEndOf(endpoint, '/')}/invoke`), headers, body };
}

/** Only the kind of the error: its message may hold the address. */
function reasonOf(error: unknown): string {
  if (error instanceof CallTimedOut) return `the agent did not answer within ${TIMEOUT_MS / 1000} s`;
  const code = codeOf(error);
  return code === null ? 'the agent is not reachable' : `the agent is not reachable (${code})`;
}

function codeOf(error: unknown): string | null {
  return errorCode(error) ?? errorCode((error as { cause?: unknown } | null)?.cause);
}
