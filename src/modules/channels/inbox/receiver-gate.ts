import { Injectable } from '@nestjs/common';
import type { ApiRequest } from '../../../http/api-request.js';
import type { BodyGate } from '../../../http/body/body-gate.js';
import { ReceiverService } from './receiver.service.js';

/** Lets no body in for a platform that nobody here has to do with. */
@Injectable()
export class ReceiverGate implements BodyGate {
  constructor(private readonly receiver: ReceiverService) {}

  check({ params, socket }: ApiRequest): Promise<void> {
    return this.receiver.checkExpected(String(params.platform), socket.remoteAddress);
  }
}
