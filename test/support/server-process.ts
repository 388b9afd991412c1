import { ApiClient } from './api-client.js';
import { checkDocumented } from './documented-answers.js';
import { serverProgram, spawnAlone, startHostedServer, type Running } from './hosted-program.js';
import { NO_PLATFORMS } from './no-platforms.js';
import type { TestStorage } from './storage.js';
import { waitFor } from './wait.js';

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
  /** Further arguments of `serve`; such a server has a process of its own. */
  args?: readonly string[];
  /**
   * Whether the server gets a process of its own, as it does on a user's machine; default false. For tests of a process's memory, start,
   * output and end.
   */
  isAlone?: boolean;
}

/** `waystation serve` on a free port: the built program in a process that may have run other servers before, or in its own. */
export class ServerProcess {
  private constructor(
    private readonly running: Running,
    private readonly secret: string,
  ) {}

  static async start(storage: TestStorage, options: ServerOptions = {}): Promise<ServerProcess> {
    const { args = [], env = {}, isAlone = args.length > 0 || 'NODE_OPTIONS' in env } = options;
    const server = isAlone
      ? ServerProcess.spawn(storage, options)
      : new ServerProcess(await startHostedServer(storage.home, environment(storage, env)), storage.secret);
    await waitFor('the server to listen', async () => {
      if (server.running.code !== undefined) throw new Error(`The server ended: ${server.printed}`);
      return server.address !== undefined && (await server.isHealthy());
    });
    return server;
  }

  /** In a process of its own. Does not wait for the start; for servers that must refuse to start. */
  static spawn(storage: TestStorage, { args = [], env = {} }: ServerOptions = {}): ServerProcess {
    const running = spawnAlone(storage.home, environment(storage, env), [...serverProgram(), ...args]);
    return new ServerProcess(running, storage.secret);
  }

  /** All its output so far. */
  get printed(): string {
    return this.running.printed;
  }

  get pid(): number {
    return this.running.pid;
  }

  get address(): string | undefined {
    return /http:\/\/127\.0\.0\.1:\d+/.exec(this.printed)?.[0];
  }

  get api(): ApiClient {
    this.client ??= new ApiClient(this.address ?? '', this.secret, checkDocumented);
    return this.client;
  }

  signal(name: NodeJS.Signals): void {
    this.running.signal(name);
  }

  /** Stops reading its standard output; only for a server with its own process. */
  closeOutput(): void {
    this.running.closeOutput?.();
  }

  /** The exit code, or the name of the signal that ended it. */
  async exit(): Promise<number | NodeJS.Signals | null> {
    await this.running.ended;
    return this.running.code ?? null;
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exit();
    this.client?.close();
  }

  async stop(): Promise<number | NodeJS.Signals | null> {
    this.signal('SIGTERM');
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

function environment(storage: TestStorage, own: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...SERVER_DEFAULTS, ...storage.env, ...own };
}
