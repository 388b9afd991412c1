import { Injectable } from '@nestjs/common';
import { randomText } from '../../../common/ids.js';

const TOKEN_BYTES = 32;

/** What the API must show to start a run here. New at each start of the process; the heartbeat brings it to the API, and nobody else learns it. */
@Injectable()
export class InvokeToken {
  readonly value = randomText(TOKEN_BYTES);
}
