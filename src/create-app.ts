import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Clock } from './common/clock.js';
import { createLogger, Logger } from './common/logger.js';
import { Metrics } from './common/metrics/metrics.js';
import { NestLogger } from './common/nest-logger.js';
import { ShutdownSignal } from './common/shutdown-signal.js';
import { loadApiSecret } from './config/api-secret.js';
import type { AppConfig } from './config/app-config.js';
import { DatabaseClock } from './database/database-clock.js';
import { FastLane } from './http/fast-lane.js';
import { HostCheck, WebhookOnlyCheck } from './http/host-check.js';
import { HttpMetrics } from './http/http-metrics.js';
import { ApiHttpAdapter } from './http/api-http.adapter.js';
import { setUpDocs } from './http/openapi.js';
import { RequestEntry } from './http/request-entry.js';
import { stepRoute } from './modules/graph-states/fast-routes.js';
import { fastRoutes } from './modules/runners/fast-routes.js';

export interface CreateAppOptions {
  /** Instead of the configured log. */
  logger?: Logger;
  /** Instead of the database's time, or this machine's on SQLite. */
  clock?: Clock;
  /** Folder of the console's page, instead of the built one. */
  consoleFolder?: string;
  /** Sends every request through Express and Nest, even those that agents send at every step; default false. */
  isWithoutFastLane?: boolean;
}

/**
 * The API server, initialised but not listening; also for tests and the OpenAPI document. `close()` ends long polls and streams, waits for
 * requests in flight, then closes the storage.
 * @throws ConfigError if the machine secret is unusable or does not belong to the database.
 */
export async function createApp(config: AppConfig, options: CreateAppOptions = {}): Promise<NestExpressApplication> {
  const logger = options.logger ?? createLogger(config.log);
  const clock = options.clock ?? new DatabaseClock();
  const metrics = new Metrics();
  const root = AppModule.forRoot(config, loadApiSecret(config), { logger, clock, metrics }, options.consoleFolder);
  const entry = new RequestEntry(new HostCheck(config.server), logger, new HttpMetrics(metrics));
  const adapter = new ApiHttpAdapter({ entry, drainTimeoutMs: config.server.shutdownTimeoutMs });
  const app = await NestFactory.create<NestExpressApplication>(root, adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const shutdown = app.get(ShutdownSignal);
  adapter.onClosing = () => shutdown.begin();
  setUpDocs(app);
  await initialised(app);
  if (!options.isWithoutFastLane) adapter.fastLane = new FastLane(app, [...fastRoutes(app), stepRoute(app)]);
  return app;
}

/**
 * Opens the second listener, if configured: it serves only the webhooks of messaging platforms. Closes with the application. Returns its
 * port; null for none.
 * @throws as `server.listen`
 */
export async function openReceiver(app: NestExpressApplication, { server }: AppConfig): Promise<number | null> {
  if (server.receiverPort === null) return null;
  const adapter = app.getHttpAdapter();
  if (!(adapter instanceof ApiHttpAdapter)) throw new TypeError('The application was not made by createApp.');
  const entry = new RequestEntry(new WebhookOnlyCheck(), app.get(Logger));
  return adapter.listenOn(server.receiverPort, server.receiverHost, entry);
}

/** Closes what was opened if a later part fails to start. */
async function initialised(app: NestExpressApplication): Promise<NestExpressApplication> {
  try {
    return await app.init();
  } catch (error) {
    await app.close().catch(() => undefined);
    throw error;
  }
}
