import { afterAll, beforeAll } from '@jest/globals';
import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ApiClient } from './api-client.js';
import { testDialect } from './dialect.js';
import { checkDocumented } from './documented-answers.js';
import { SERVER_DEFAULTS, serverProgram } from './server-process.js';
import { migratedStorage, postgresUrl } from './storage.js';
import { waitFor } from './wait.js';

const SUPERVISOR = path.join(import.meta.dirname, 'setup/server-supervisor.mjs');

/** What a later file needs of the server that an earlier one has started. */
interface RunningServer {
  readonly baseUrl: string;
  readonly secret: string;
  /** Where it prints to. */
  readonly log: string;
}

/** Set by the environment of the tests: it lives as long as the worker. */
declare const WAYSTATION_SHARED_SERVERS: Map<string, RunningServer>;

/**
 * The API of a server that all files of a worker share, one after the other: to start one takes longer than most files.
 * It holds what earlier files have stored. So a test uses ids of its own (`newThreadId`), and looks for them in what lists all;
 * a file that needs an empty server, or changes more than its own threads, takes `useServer`.
 */
export function useSharedServer(): { readonly api: ApiClient } {
  let api: ApiClient | undefined;
  beforeAll(async () => {
    const { baseUrl, secret, log } = WAYSTATION_SHARED_SERVERS.get(keyOfServer()) ?? (await startShared());
    api = new ApiClient(baseUrl, secret, checkDocumented);
    const { status } = await api.get('/health').catch(() => ({ status: 0 }));
    if (status !== 200) throw new Error(`An earlier file has ended the shared server: ${readFileSync(log, 'utf8')}`);
  });
  afterAll(() => api?.close());
  return {
    get api() {
      if (api === undefined)
        throw new Error('The server is started before the tests, not while they are being listed.');
      return api;
    },
  };
}

/** Files of several projects run in one worker. */
function keyOfServer(): string {
  return [testDialect(), ...serverProgram()].join(' ');
}

async function startShared(): Promise<RunningServer> {
  const storage = await migratedStorage();
  const log = path.join(storage.home, 'printed.log');
  const file = openSync(log, 'a');
  const { PATH, HOME, TMPDIR } = process.env;
  const database = storage.databaseUrl === null ? [] : [storage.databaseUrl, postgresUrl()];
  const child = spawn(process.execPath, [SUPERVISOR, JSON.stringify(serverProgram()), storage.home, ...database], {
    env: { PATH, HOME, TMPDIR, ...SERVER_DEFAULTS, ...storage.env },
    stdio: ['pipe', file, file],
  });
  const baseUrl = await waitFor('the shared server to listen', () => {
    const printed = readFileSync(log, 'utf8');
    if (child.exitCode !== null) throw new Error(`The server ended: ${printed}`);
    return /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
  });
  // Nothing of it keeps the worker from ending.
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  const running = { baseUrl, secret: storage.secret, log };
  WAYSTATION_SHARED_SERVERS.set(keyOfServer(), running);
  return running;
}
