import { Injectable } from '@nestjs/common';
import type { ApiRequest } from '../../../http/api-request.js';
import type { BodyGate } from '../../../http/body.decorators.js';
import { toWebhookRequest } from './receiver.answers.js';
import { ReceiverService } from './receiver.service.js';

/** Lets no body in for a platform that nobody here has to do with. */
@Injectable()
export class ReceiverGate implements BodyGate {
  constructor(private readonly receiver: ReceiverService) {}

  check(request: ApiRequest): Promise<void> {
    const { headers } = toWebhookRequest(request);
    return this.receiver.checkExpected(String(request.params.platform), headers, request.socket.remoteAddress);
  }
}
