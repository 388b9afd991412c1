import 'reflect-metadata';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AddressInfo } from 'node:net';
import { createApp, type CreateAppOptions } from '../../src/create-app.js';
import { loadConfig } from '../../src/config/env.js';
import { ApiClient } from './api-client.js';
import { checkDocumented } from './documented-answers.js';
import { NO_PLATFORMS } from './no-platforms.js';
import { migratedStorage, type TestStorage } from './storage.js';

/** The whole application inside the test, for what a separate process cannot show: another clock, the table of routes. */
export interface InProcessApp {
  readonly app: NestExpressApplication;
  readonly api: ApiClient;
  readonly storage: TestStorage;
  stop(): Promise<void>;
}

export interface InProcessOptions extends CreateAppOptions {
  env?: Record<string, string>;
  /** The test's own storage, which it disposes of; otherwise a new one, with its tables if the set-up has created them. */
  storage?: TestStorage;
}

const DEFAULTS = {
  WAYSTATION_PORT: '0',
  WAYSTATION_LOG_LEVEL: 'silent',
  WAYSTATION_GATHER_MS: '200',
  ...NO_PLATFORMS,
};

/** Starts it on a free port, with real HTTP. */
export async function startApp(options: InProcessOptions = {}): Promise<InProcessApp> {
  const storage = options.storage ?? (await migratedStorage());
  const config = loadConfig({ ...DEFAULTS, ...storage.env, ...options.env });
  const app = await createApp(config, options);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const api = new ApiClient(`http://127.0.0.1:${port}`, storage.secret, checkDocumented);
  return {
    app,
    api,
    storage,
    async stop() {
      api.close();
      await app.close();
      if (!options.storage) await storage.dispose();
    },
  };
}
