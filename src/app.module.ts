import { Module, type DynamicModule } from '@nestjs/common';
import { CommonModule, type CommonProviders } from './common/common.module.js';
import { ApiSecret } from './config/api-secret.js';
import { AppConfig } from './config/app-config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { ENTITIES } from './entities.js';
import { HttpModule } from './http/http.module.js';
import { ApprovalsModule } from './modules/approvals/approvals.module.js';
import { ChannelsModule } from './modules/channels/channels.module.js';
import { ConsoleModule } from './modules/console/console.module.js';
import { EffectsModule } from './modules/effects/effects.module.js';
import { GraphStatesModule } from './modules/graph-states/graph-states.module.js';
import { ExamplesModule } from './modules/examples/examples.module.js';
import { HealthModule } from './modules/health/health.module.js';
import { HooksModule } from './modules/hooks/hooks.module.js';
import { NoticesModule } from './modules/notices/notices.module.js';
import { RunnersModule } from './modules/runners/runners.module.js';
import { ThreadsModule } from './modules/threads/threads.module.js';
import { TokensModule } from './modules/tokens/tokens.module.js';

/** The root module of the API server. */
@Module({})
export class AppModule {
  /** @param consoleFolder of the console's page, instead of the built one */
  static forRoot(config: AppConfig, secret: ApiSecret, common: CommonProviders, consoleFolder?: string): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CommonModule.forRoot(common),
        ConfigModule.forRoot(config, secret),
        DatabaseModule.forRoot(ENTITIES),
        HttpModule.forRoot({ imports: [TokensModule, ThreadsModule] }),
        TokensModule,
        HealthModule,
        ThreadsModule,
        ApprovalsModule,
        EffectsModule,
        RunnersModule,
        GraphStatesModule,
        HooksModule,
        ChannelsModule,
        NoticesModule,
        ExamplesModule,
        ConsoleModule.forRoot(consoleFolder),
      ],
    };
  }
}
