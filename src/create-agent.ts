import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AgentModule } from './agent.module.js';
import { ApiAddress } from './common/api-address.js';
import { Clock } from './common/clock.js';
import { DomainError } from './common/domain-error.js';
import { createLogger, type Logger } from './common/logger.js';
import { NestLogger } from './common/nest-logger.js';
import { ShutdownSignal } from './common/shutdown-signal.js';
import type { AgentConfig } from './config/agent.config.js';
import { ApiHttpAdapter } from './http/api-http.adapter.js';
import { RequestEntry } from './http/request-entry.js';
import { pathOf } from './http/request-target.js';
import type { Definition } from './modules/triggers/definition/definition.js';
import { RunLauncher } from './modules/triggers/run-launcher.js';
import { inheritedVariables, RunSettings } from './modules/triggers/run-settings.js';
import { RunsModule } from './modules/triggers/runs/runs.module.js';
import { ScheduleService } from './modules/triggers/schedule/schedule.service.js';
import { AgentPorts } from './modules/triggers/webhooks/agent-ports.js';
import { plainPath } from './modules/triggers/definition/webhook-endpoint.js';

export interface CreateAgentOptions {
  config: AgentConfig;
  definition: Definition;
  /** For the API; the process creates its programs' own tokens. */
  apiToken: string;
  /** Instead of the configured log. */
  logger?: Logger;
  /** Instead of the real time. */
  clock?: Clock;
  /** Instead of programs: makes a module with another `RunLauncher`. */
  runs?: (access: DynamicModule) => DynamicModule;
}

/** A listening agent process. */
export interface RunningAgent {
  readonly app: NestExpressApplication;
  readonly ports: AgentPorts;
  /**
   * Switches to another definition: runs in progress continue, schedules and webhooks change.
   * @throws PortError if a new port is taken; nothing has changed then
   */
  reload(next: Definition): Promise<void>;
}

/** A port could not be listened on. */
export class PortError extends Error {
  constructor(
    readonly port: number,
    cause: unknown,
  ) {
    super(`Port ${port} cannot be used.`, { cause });
  }
}

/**
 * Starts the agent process: opens its ports, so that a taken one fails before anything else, then resumes runs and schedules. `app.close()`
 * stops listening, stops the schedules and lets the runs finish.
 * @throws PortError; DomainError `storage_in_use` if another process uses the same state.
 */
export async function startAgent(options: CreateAgentOptions): Promise<RunningAgent> {
  const { config, definition } = options;
  const logger = options.logger ?? createLogger(config.log);
  const door = new Door();
  const entry = new RequestEntry(door, logger);
  const adapter = new ApiHttpAdapter({ entry, drainTimeoutMs: config.shutdownTimeoutMs });
  const ports = new AgentPorts(definition, config.port);
  const root = AgentModule.forRoot({
    ...{ config, definition, ports },
    common: { logger, clock: options.clock ?? new Clock() },
    stateFile: stateFileOf(config, definition),
    runs: options.runs ?? ((access) => RunsModule.forRoot(runSettings(options), [access])),
  });
  try {
    await listen(adapter, ports, ports.wanted, config.host);
    const create = { logger: new NestLogger(logger), bodyParser: false, abortOnError: false };
    const app = await NestFactory.create<NestExpressApplication>(root, adapter, create);
    const shutdown = app.get(ShutdownSignal);
    adapter.onClosing = () => shutdown.begin();
    await initialised(app);
    door.open();
    const reload = async (next: Definition) => {
      const wanted = ports.wantedBy(next);
      const added = wanted.filter((port) => ports.actualFor(port) === null);
      const gone = ports.wanted.filter((port) => !wanted.includes(port));
      await listen(adapter, ports, added, config.host).catch((error: unknown) => {
        for (const port of added) adapter.stopListening(ports.forget(port));
        throw error;
      });
      ports.wanted = wanted;
      definition.replaceWith(next);
      app.get(RunSettings, { strict: false }).agents = next.agents;
      app.get(RunLauncher, { strict: false }).definitionChanged();
      await app.get(ScheduleService, { strict: false }).reload();
      for (const port of gone) adapter.stopListening(ports.forget(port));
    };
    return { app, ports, reload };
  } catch (error) {
    adapter.release();
    throw error;
  }
}

/** Refuses requests while the process starts. */
class Door {
  private isOpen = false;

  open(): void {
    this.isOpen = true;
  }

  check(request: IncomingMessage): void {
    if (this.isOpen) return;
    throw new DomainError('unavailable', 'starting', 'The agent process is starting.', {
      retryAfterSeconds: 1,
      isExpected: plainPath(pathOf(request)) === '/health',
    });
  }
}

async function listen(
  adapter: ApiHttpAdapter,
  ports: AgentPorts,
  wanted: readonly number[],
  host: string,
): Promise<void> {
  for (const port of wanted) {
    try {
      ports.noteListening(port, await adapter.listenOn(port, host));
    } catch (error) {
      throw new PortError(port, error);
    }
  }
}

/** Closes what was opened if a later part fails to start. */
async function initialised(app: NestExpressApplication): Promise<void> {
  try {
    await app.init();
  } catch (error) {
    await app.close().catch(() => undefined);
    throw error;
  }
}

/** One file per definition file, whatever the working directory. */
function stateFileOf({ stateDir, home }: AgentConfig, { file }: Definition): string {
  const ofThisFile = createHash('sha256').update(file).digest('hex').slice(0, 16);
  return path.join(stateDir ?? path.join(home, 'agents', ofThisFile), 'agent.db');
}

function runSettings({ config, definition, apiToken }: CreateAgentOptions): RunSettings {
  const { shutdownTimeoutMs: drainTimeoutMs, leaseTtlSeconds, isVerbose } = config;
  const isAddressFixed = config.isApiUrlGiven || config.isAddressFromFile;
  const api = new ApiAddress(config.apiUrl, isAddressFixed ? null : config.home);
  const programEnv = inheritedVariables(config.variables);
  const stateDir = path.dirname(stateFileOf(config, definition));
  return Object.assign(new RunSettings(), {
    agents: definition.agents,
    api,
    apiToken,
    stateDir,
    programEnv,
    drainTimeoutMs,
    leaseTtlSeconds,
    isVerbose,
  });
}
