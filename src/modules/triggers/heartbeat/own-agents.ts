import type { AgentTrigger } from '../../../common/contract/agent-trigger.js';
import { Injectable } from '@nestjs/common';
import { randomText } from '../../../common/ids.js';

/** What this process's heartbeats say about its agents. */
export abstract class OwnAgents {
  /** Base address of an agent, without `/invoke`; null while this process does not listen. */
  abstract endpointOf(agentName: string): string | null;

  /** An agent's triggers in file order; schedules with their next firings. */
  abstract triggersOf(agentName: string): AgentTrigger[];
}

const TOKEN_BYTES = 32;

/** The token that the API needs to start a run here. New at each start of the process; only the heartbeat tells it, and only to the API. */
@Injectable()
export class InvokeToken {
  readonly value = randomText(TOKEN_BYTES);
}
