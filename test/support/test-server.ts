import { afterAll, beforeAll } from '@jest/globals';
import type { ApiClient } from './api-client.js';
import { ServerProcess, type ServerOptions } from './server-process.js';
import { migratedStorage, type TestStorage } from './storage.js';

/** The server shared by one file's tests; its parts exist once the first test runs. */
export interface TestServer {
  readonly api: ApiClient;
  readonly process: ServerProcess;
  readonly storage: TestStorage;
  /** Stops the server, if it still runs, and starts it again on the same storage. */
  restart(): Promise<ServerProcess>;
}

/** Starts the built server on an empty database before this file's tests, and stops it after them. */
export function useServer(options: ServerOptions = {}): TestServer {
  let storage: TestStorage | undefined;
  let server: ServerProcess | undefined;
  beforeAll(async () => {
    storage = await migratedStorage();
    server = await ServerProcess.start(storage, options);
  });
  afterAll(async () => {
    await server?.stop();
    await storage?.dispose();
  });
  const present = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('The server is started before the tests, not while they are being listed.');
    return part;
  };
  return {
    get api() {
      return present(server).api;
    },
    get process() {
      return present(server);
    },
    get storage() {
      return present(storage);
    },
    async restart() {
      await server?.stop();
      server = await ServerProcess.start(present(storage), options);
      return server;
    },
  };
}
