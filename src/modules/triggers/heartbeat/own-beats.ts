import { Injectable } from '@nestjs/common';
import type { AgentTrigger } from '../../../common/contract/agent-trigger.js';
import type { QueuedRun } from '../../../common/contract/queued-run.js';
import { RunSettings } from '../run-settings.js';
import { InvokeToken, OwnAgents } from './own-agents.js';
import { ProcessId } from './process-id.js';
import { RunQueue } from './run-queue.js';

export interface OwnBeat {
  agent_id: string;
  endpoint: string;
  invoke_token: string;
  triggers: AgentTrigger[];
  process_id: string;
  queued_runs: QueuedRun[];
}

/** This process's heartbeats, one for each agent of the file. */
@Injectable()
export class OwnBeats {
  constructor(
    private readonly own: OwnAgents,
    private readonly invokeToken: InvokeToken,
    private readonly processId: ProcessId,
    private readonly queue: RunQueue,
    private readonly settings: RunSettings,
  ) {}

  /** Null until this process listens and knows its address. */
  now(): OwnBeat[] | null {
    const beats: OwnBeat[] = [];
    for (const { name } of this.settings.agents) {
      const endpoint = this.own.endpointOf(name);
      if (endpoint === null) return null;
      beats.push({
        agent_id: name,
        endpoint,
        invoke_token: this.invokeToken.value,
        triggers: this.own.triggersOf(name),
        process_id: this.processId.value,
        queued_runs: this.queue.of(name),
      });
    }
    return beats;
  }

  /** The queued runs that heartbeats list. */
  queued(): QueuedRun[] {
    return this.settings.agents.flatMap(({ name }) => this.queue.of(name));
  }
}
