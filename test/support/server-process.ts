import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ApiClient } from './api-client.js';
import { checkDocumented } from './documented-answers.js';
import { NO_PLATFORMS } from './no-platforms.js';
import type { TestStorage } from './storage.js';
import { waitFor } from './wait.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** Environment of every server that tests start. */
export const SERVER_DEFAULTS = {
  WAYSTATION_PORT: '0',
  WAYSTATION_LOG_LEVEL: 'warn',
  // A lone forward need not wait for others, except in tests about that.
  WAYSTATION_GATHER_MS: '200',
  ...NO_PLATFORMS,
};

export interface ServerOptions {
  /** Added to the storage's environment. */
  env?: Record<string, string>;
  /** Further arguments of `serve`. */
  args?: readonly string[];
}

/** Node's arguments for a server: the built one or, in the Jest projects `plain-door-*`, one without a fast lane. */
export function serverProgram(): string[] {
  const { WAYSTATION_TEST_DOOR: door } = globalThis as { WAYSTATION_TEST_DOOR?: 'plain' };
  return door === 'plain' ? [path.join(PROJECT, '.tmp/plain-door.mjs')] : [path.join(PROJECT, 'dist/cli.js'), 'serve'];
}

/** `waystation serve` as a user starts it: the built program in its own process, on a free port. */
export class ServerProcess {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly secret: string,
  ) {
    const keep = (chunk: Buffer) => {
      this.output += chunk.toString('utf8');
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
  }

  static async start(storage: TestStorage, options: ServerOptions = {}): Promise<ServerProcess> {
    const server = ServerProcess.spawn(storage, options);
    await waitFor('the server to listen', async () => {
      if (server.child.exitCode !== null) throw new Error(`The server ended: ${server.output}`);
      return server.address !== undefined && (await server.isHealthy());
    });
    return server;
  }

  /** Does not wait for the start; for servers that must refuse to start. */
  static spawn(storage: TestStorage, options: ServerOptions = {}): ServerProcess {
    const { PATH, HOME, TMPDIR } = process.env;
    const child = spawn(process.execPath, [...serverProgram(), ...(options.args ?? [])], {
      cwd: storage.home,
      env: { PATH, HOME, TMPDIR, ...SERVER_DEFAULTS, ...storage.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServerProcess(child, storage.secret);
  }

  /** All its output so far. */
  get printed(): string {
    return this.output;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get address(): string | undefined {
    return /http:\/\/127\.0\.0\.1:\d+/.exec(this.output)?.[0];
  }

  get api(): ApiClient {
    this.client ??= new ApiClient(this.address ?? '', this.secret, checkDocumented);
    return this.client;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Stops reading its standard output. */
  closeOutput(): void {
    this.child.stdout?.destroy();
  }

  /** The exit code, or the name of the signal that ended it. */
  async exit(): Promise<number | NodeJS.Signals | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode ?? this.child.signalCode;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exit();
    this.client?.close();
  }

  async stop(): Promise<number | NodeJS.Signals | null> {
    this.child.kill('SIGTERM');
    const code = await this.exit();
    this.client?.close();
    return code;
  }

  private client?: ApiClient;

  private async isHealthy(): Promise<boolean> {
    return this.api.get('/health').then(
      (answer) => answer.status === 200,
      () => false,
    );
  }
}
