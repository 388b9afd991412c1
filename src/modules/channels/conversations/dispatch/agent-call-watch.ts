import { Injectable } from '@nestjs/common';
import { CallWatch } from '../../../../queue/call-watch.js';

/** Which agents answer late, by their names. */
@Injectable()
export class AgentCallWatch extends CallWatch {}
