import { Injectable } from '@nestjs/common';
import { AgentConfig } from '../../../config/agent.config.js';
import { Definition } from '../definition/definition.js';
import { InvokeAddresses } from '../heartbeat/invoke-addresses.js';
import { AgentPorts } from './agent-ports.js';

/** Bases under which `/invoke` starts each agent: the process itself for the entry agent, a path of it for the others. */
@Injectable()
export class AgentAddresses extends InvokeAddresses {
  constructor(
    private readonly config: AgentConfig,
    private readonly definition: Definition,
    private readonly ports: AgentPorts,
  ) {
    super();
  }

  override endpointOf(agentName: string): string | null {
    const base = this.config.publicUrl ?? this.localUrl();
    if (base === null || agentName === this.definition.entryAgent.name) return base;
    return `${base}/agents/${encodeURIComponent(agentName)}`;
  }

  private localUrl(): string | null {
    const { main } = this.ports;
    const { host } = this.config;
    if (main === null) return null;
    if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${main}`;
    return `http://${host.includes(':') ? `[${host}]` : host}:${main}`;
  }
}
