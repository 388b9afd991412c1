import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { HeartbeatService } from '../heartbeat/heartbeat.service.js';
import { OwnBeats } from '../heartbeat/own-beats.js';
import { ProcessId } from '../heartbeat/process-id.js';
import { RunQueue } from '../heartbeat/run-queue.js';
import { RunLeases } from '../leases/run-leases.service.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { Reporter } from '../reporter/reporter.service.js';
import { SpoolRepository } from '../reporter/spool.repository.js';
import { RunLauncher } from '../run-launcher.js';
import { OwnToken } from '../tokens/own-token.service.js';
import { ProgramTokens } from '../tokens/program-tokens.service.js';
import { RunClosing } from './run-closing.service.js';
import { RunExecutor } from './run-executor.service.js';
import { RunFolders } from './run-folders.service.js';
import { RunFinisher } from './run-finisher.service.js';
import { RunGrants } from './run-grants.service.js';
import { RunIntake } from './run-intake.service.js';
import { RunLog } from './run-log.service.js';
import { RunNotices } from './run-notices.service.js';
import { RunPreparation } from './run-preparation.service.js';
import { RunRecovery } from './run-recovery.service.js';
import { RunSettings } from '../run-settings.js';
import { RunsRepository } from './runs.repository.js';
import { RunsService } from './runs.service.js';

/** Starts agents' programs and reports what they do. Its database is the agent process's state database. */
@Module({})
export class RunsModule {
  /** @param imports what provides `InvokeToken` and `OwnAgents` */
  static forRoot(settings: RunSettings, imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return {
      module: RunsModule,
      imports,
      providers: [
        { provide: RunSettings, useValue: settings },
        { provide: RunLauncher, useExisting: RunsService },
        ...[
          SpoolRepository,
          Reporter,
          ProcessApi,
          HeartbeatService,
          OwnBeats,
          ProcessId,
          RunQueue,
          OwnToken,
          RunLeases,
        ],
        ...[RunsRepository, RunLog, RunRecovery, RunIntake, ProgramTokens, RunPreparation, RunExecutor],
        ...[RunFolders, RunNotices, RunClosing, RunGrants, RunFinisher, RunsService],
      ],
      exports: [RunLauncher],
    };
  }
}
