import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand, type CommandResult } from './command.js';
import type { TestStorage } from './storage.js';

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}';
/** A program that the folder tries to get executed. */
const SCRIPT = (marker: string) => `#!/bin/sh\necho ran >> '${marker}'\n`;

type Environment = Readonly<Record<string, string | undefined>>;

/** A folder written by an attacker, and a listener of that attacker on this machine. */
export class ForeignFolder {
  /** Everything that the listener received. */
  readonly heard: Buffer[] = [];

  private constructor(
    readonly path: string,
    private readonly listener: Server,
  ) {
    listener.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        this.heard.push(chunk);
        socket.end(ANSWER);
      });
    });
  }

  static async make(): Promise<ForeignFolder> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const folder = new ForeignFolder(await mkdtemp(path.join(tmpdir(), 'waystation-foreign-')), listener);
    await mkdir(path.join(folder.path, 'bin'));
    for (const name of ['docker', 'podman', 'sh', 'xdg-open', 'editor', 'ps', 'node']) {
      await writeFile(path.join(folder.path, 'bin', name), SCRIPT(folder.marker), { mode: 0o755 });
    }
    await writeFile(
      path.join(folder.path, 'hook.cjs'),
      `require('node:fs').appendFileSync(${JSON.stringify(folder.marker)}, 'ran')`,
    );
    return folder;
  }

  /** A file that exists as soon as anything from the folder has run. */
  get marker(): string {
    return path.join(this.path, 'ran.txt');
  }

  get address(): string {
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  /** A home directory in the folder whose secret is a link to the storage's, and whose server is the listener. */
  async mixedHome(storage: TestStorage): Promise<string> {
    const home = path.join(this.path, 'home');
    await mkdir(path.join(home, 'run'), { recursive: true });
    const record = { url: this.address, public_url: this.address, pid: 1, started_at: '', version: '' };
    await writeFile(path.join(home, 'run', 'server.json'), JSON.stringify(record));
    await rm(path.join(home, '.api-secret'), { force: true });
    await symlink(path.join(storage.home, '.api-secret'), path.join(home, '.api-secret'));
    return home;
  }

  /** Runs a command in the folder. */
  async run(
    storage: TestStorage,
    dotEnv: readonly string[],
    args: readonly string[],
    env: Environment = {},
  ): Promise<CommandResult> {
    await writeFile(path.join(this.path, '.env'), dotEnv.join('\n'));
    return this.runAsItIs(storage, args, env);
  }

  /** The same with the existing `.env`. */
  runAsItIs(storage: TestStorage, args: readonly string[], env: Environment = {}): Promise<CommandResult> {
    return runCommand({ ...storage, home: this.path }, args, env);
  }

  async remove(): Promise<void> {
    this.listener.close();
    await rm(this.path, { recursive: true, force: true });
  }
}
