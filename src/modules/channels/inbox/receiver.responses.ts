import { Injectable } from '@nestjs/common';
import type { ApiRequest, ApiResponse } from '../../../http/api-request.js';
import type { BodyGate } from '../../../http/body.decorators.js';
import { type ReceiverResponse, type WebhookMessage, ReceiverService } from './receiver.service.js';

const NO_BODY = Buffer.alloc(0);

/** A repeated header proves nothing: Node joins most of them, and no platform sends them twice. */
export function toWebhookRequest({ headers, rawBody }: ApiRequest): WebhookMessage {
  const single = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  return {
    headers: Object.fromEntries(single) as Record<string, string>,
    rawBody: rawBody ?? NO_BODY,
  };
}

/** The response body that the platform expects, or nothing. */
export function sendReceived(response: ApiResponse, reply: ReceiverResponse): void {
  response.setHeader('Content-Length', Buffer.byteLength(reply?.body ?? ''));
  if (reply !== null) response.setHeader('Content-Type', reply.contentType);
  response.end(reply?.body);
}

export function sendChallenge(response: ApiResponse, challenge: string): void {
  sendReceived(response, { contentType: 'text/plain; charset=utf-8', body: challenge });
}

/** Accepts no body for a platform without channels. */
@Injectable()
export class ReceiverGate implements BodyGate {
  constructor(private readonly receiver: ReceiverService) {}

  check(request: ApiRequest): Promise<void> {
    const { headers } = toWebhookRequest(request);
    return this.receiver.checkExpected(String(request.params.platform), headers, request.socket.remoteAddress);
  }
}
