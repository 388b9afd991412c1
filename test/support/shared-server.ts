import { afterAll, beforeAll } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiClient } from './api-client.js';
import { testDialect } from './dialect.js';
import { checkDocumented } from './documented-answers.js';
import { serverProgram } from './hosted-program.js';
import { SERVER_DEFAULTS } from './server-process.js';
import { migratedStorage, postgresUrl } from './storage.js';
import { waitFor } from './wait.js';

const SUPERVISOR = path.join(import.meta.dirname, 'setup/server-supervisor.mjs');

/** What a later file needs to know of the server that an earlier one started. */
interface RunningServer {
  readonly baseUrl: string;
  readonly secret: string;
  /** The file with its output. */
  readonly log: string;
}

/** Set by the test environment. */
declare const WAYSTATION_RUN_PID: number;

/**
 * The API of a server that many files of a run share, one after the other, because a start takes longer than most files. Each Jest worker
 * has its own; a worker that replaces another continues with its server.
 * It contains what earlier files stored, so use your own ids (`newThreadId`), and look for them in lists of everything.
 * A file that needs an empty server, or changes more than its own threads, calls `useServer`.
 */
export function useSharedServer(): { readonly api: ApiClient } {
  let api: ApiClient | undefined;
  beforeAll(async () => {
    const { baseUrl, secret, log } = earlierServer() ?? (await startShared());
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

/** The file that names the server of this worker, database and program. */
function noteFile(): string {
  const { JEST_WORKER_ID = '1' } = process.env;
  const kind = createHash('sha256')
    .update([testDialect(), ...serverProgram()].join(' '))
    .digest('hex')
    .slice(0, 8);
  return path.join(tmpdir(), `waystation-test-shared-${WAYSTATION_RUN_PID}-${JEST_WORKER_ID}-${kind}.json`);
}

function earlierServer(): RunningServer | null {
  const file = noteFile();
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunningServer) : null;
}

async function startShared(): Promise<RunningServer> {
  const storage = await migratedStorage();
  const log = path.join(storage.home, 'printed.log');
  const file = openSync(log, 'a');
  const { PATH, HOME, TMPDIR } = process.env;
  const database = storage.databaseUrl === null ? [] : [storage.databaseUrl, postgresUrl()];
  const args = [String(WAYSTATION_RUN_PID), JSON.stringify(serverProgram()), storage.home, ...database];
  const child = spawn(process.execPath, [SUPERVISOR, noteFile(), ...args], {
    env: { PATH, HOME, TMPDIR, ...SERVER_DEFAULTS, ...storage.env },
    stdio: ['ignore', file, file],
    detached: true,
  });
  const baseUrl = await waitFor('the shared server to listen', () => {
    const printed = readFileSync(log, 'utf8');
    if (child.exitCode !== null) throw new Error(`The server ended: ${printed}`);
    return /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
  });
  child.unref();
  closeSync(file);
  const running = { baseUrl, secret: storage.secret, log };
  writeFileSync(noteFile(), JSON.stringify(running), { mode: 0o600 });
  return running;
}
