import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { CommonModule, type CommonProviders } from './common/common.module.js';
import { AgentConfigModule } from './config/agent-config.module.js';
import type { AgentConfig } from './config/agent.config.js';
import { AGENT_ENTITIES } from './agent-entities.js';
import { AgentDatabaseModule } from './database/agent-database.module.js';
import { HttpModule } from './http/http.module.js';
import type { Definition } from './modules/triggers/definition/definition.js';
import { AgentAccessModule } from './modules/triggers/webhooks/agent-access.module.js';
import { AgentCallerGuard } from './modules/triggers/webhooks/agent-caller.guard.js';
import type { AgentPorts } from './modules/triggers/webhooks/agent-ports.js';
import { TriggersModule } from './modules/triggers/triggers.module.js';

export interface AgentModuleOptions {
  config: AgentConfig;
  definition: Definition;
  ports: AgentPorts;
  common: CommonProviders;
  /** File of the state database. */
  stateFile: string;
  /** Makes the module that provides the `RunLauncher`; `access` provides the agents' definition and addresses. */
  runs: (access: DynamicModule) => DynamicModule;
}

/** The root module of the agent process. */
@Module({
  imports: [],
})
export class AgentModule {
  static forRoot({ config, definition, ports, common, stateFile, runs }: AgentModuleOptions): DynamicModule {
    const access = AgentAccessModule.forRoot(definition, ports);
    return {
      module: AgentModule,
      imports: [
        CommonModule.forRoot(common),
        AgentConfigModule.forRoot(config),
        AgentDatabaseModule.forRoot(stateFile, AGENT_ENTITIES),
        ScheduleModule.forRoot(),
        HttpModule.forRoot({ imports: [access], callerGuard: AgentCallerGuard, hasFreeQueries: true }),
        TriggersModule.forRoot(access, runs(access)),
      ],
    };
  }
}
