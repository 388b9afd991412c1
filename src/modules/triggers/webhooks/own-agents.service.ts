import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { MAX_FIRINGS, MAX_TRIGGERS, type AgentTrigger } from '../../../common/contract/agent-trigger.js';
import { AgentConfig } from '../../../config/agent.config.js';
import { Definition } from '../definition/definition.js';
import { previewOf, type Preview } from '../definition/preview.js';
import { OwnAgents } from '../heartbeat/own-agents.js';
import { AgentPorts } from './agent-ports.js';

/**
 * The definition's agents: where `/invoke` starts them (the process itself for the entry agent, one of its paths for others), and their
 * triggers.
 */
@Injectable()
export class AgentsOfDefinition extends OwnAgents {
  constructor(
    private readonly config: AgentConfig,
    private readonly definition: Definition,
    private readonly ports: AgentPorts,
    private readonly clock: Clock,
  ) {
    super();
  }

  override endpointOf(agentName: string): string | null {
    const base = this.config.publicUrl ?? this.localUrl();
    if (base === null || agentName === this.definition.entryAgent.name) return base;
    return `${base}/agents/${encodeURIComponent(agentName)}`;
  }

  override triggersOf(agentName: string): AgentTrigger[] {
    const nowMs = this.clock.nowMs();
    return this.definition.triggers
      .filter((trigger) => trigger.agentName === agentName)
      .slice(0, MAX_TRIGGERS)
      .map((trigger) => {
        if (trigger.type === 'webhook') return { id: trigger.path, type: trigger.type, endpoint: trigger.endpoint };
        const [{ cron, timezone, next }] = previewOf([trigger], nowMs, MAX_FIRINGS) as [Preview];
        return { id: trigger.path, type: trigger.type, cron, timezone, next };
      });
  }

  private localUrl(): string | null {
    const { main } = this.ports;
    const { host } = this.config;
    if (main === null) return null;
    if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${main}`;
    return `http://${host.includes(':') ? `[${host}]` : host}:${main}`;
  }
}
