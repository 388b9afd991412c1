import { Module, type DynamicModule } from '@nestjs/common';
import { Definition } from '../definition/definition.js';
import { OwnAgents, InvokeToken } from '../heartbeat/own-agents.js';
import { AgentsOfDefinition } from './own-agents.service.js';
import { AgentPorts } from './agent-ports.js';
import { AgentRoutes } from './agent-routes.service.js';

/** How the file's agents are reached: ports, paths and the token of `/invoke`. */
@Module({})
export class AgentAccessModule {
  static forRoot(definition: Definition, ports: AgentPorts): DynamicModule {
    return {
      module: AgentAccessModule,
      providers: [
        { provide: Definition, useValue: definition },
        { provide: AgentPorts, useValue: ports },
        { provide: OwnAgents, useClass: AgentsOfDefinition },
        ...[AgentRoutes, InvokeToken],
      ],
      exports: [Definition, AgentPorts, AgentRoutes, InvokeToken, OwnAgents],
    };
  }
}
