import { Global, Module, type DynamicModule } from '@nestjs/common';
import { AgentConfig } from './agent.config.js';
import { IngestionConfig } from './ingestion.config.js';

/** Provides the configuration of the agent process. */
@Global()
@Module({})
export class AgentConfigModule {
  static forRoot(config: AgentConfig): DynamicModule {
    const providers = [
      { provide: AgentConfig, useValue: config },
      // The body reader's own limits; webhooks have a smaller one.
      { provide: IngestionConfig, useValue: new IngestionConfig() },
    ];
    return { module: AgentConfigModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
