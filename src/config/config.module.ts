import { Global, Module, type DynamicModule } from '@nestjs/common';
import { AppConfig } from './app-config.js';
import { ApiSecret } from './api-secret.js';
import { ApprovalsConfig } from './approvals.config.js';
import { ChannelsConfig } from './channels.config.js';
import { DatabaseConfig } from './database.config.js';
import { DispatchConfig } from './dispatch.config.js';
import { IngestionConfig } from './ingestion.config.js';
import { LogConfig } from './log.config.js';
import { NoticesConfig } from './notices.config.js';
import { RetentionConfig } from './retention.config.js';
import { RunsConfig } from './runs.config.js';
import { SecurityConfig } from './security.config.js';
import { ServerConfig } from './server.config.js';

/** Provides each area of the configuration, and the machine secret, by class. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: AppConfig, secret: ApiSecret): DynamicModule {
    const providers = [
      { provide: AppConfig, useValue: config },
      { provide: ServerConfig, useValue: config.server },
      { provide: DatabaseConfig, useValue: config.database },
      { provide: IngestionConfig, useValue: config.ingestion },
      { provide: ApprovalsConfig, useValue: config.approvals },
      { provide: ChannelsConfig, useValue: config.channels },
      { provide: NoticesConfig, useValue: config.notices },
      { provide: DispatchConfig, useValue: config.dispatch },
      { provide: RetentionConfig, useValue: config.retention },
      { provide: RunsConfig, useValue: config.runs },
      { provide: SecurityConfig, useValue: config.security },
      { provide: LogConfig, useValue: config.log },
      { provide: ApiSecret, useValue: secret },
    ];
    return { module: ConfigModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
