import type { AgentTrigger } from '../../../common/contract/agent-trigger.js';
import { Injectable } from '@nestjs/common';
import { randomText } from '../../../common/ids.js';

/** What the heartbeats of this process say of its agents. */
export abstract class OwnAgents {
  /** Base address of an agent, to which `/invoke` is added; null while this process does not listen yet. */
  abstract endpointOf(agentName: string): string | null;

  /** What starts an agent, in the order of the definition file; schedules with their next firings. */
  abstract triggersOf(agentName: string): AgentTrigger[];
}

const TOKEN_BYTES = 32;

/** What the API must show to start a run here. New at each start of the process; the heartbeat brings it to the API, and nobody else learns it. */
@Injectable()
export class InvokeToken {
  readonly value = randomText(TOKEN_BYTES);
}
