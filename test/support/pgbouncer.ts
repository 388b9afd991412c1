import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.js';

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;

/** The machine's PgBouncer in front of the tests' PostgreSQL. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  /**
   * @param program path of PgBouncer
   * @param target a PostgreSQL, with user and password
   */
  static async before(program: string, target: URL, poolMode: 'session' | 'transaction'): Promise<PgBouncer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'waystation-test-'));
    await chmod(folder, 0o755);
    const port = await freePort();
    const file = path.join(folder, 'pgbouncer.ini');
    const { hostname, username, password } = target;
    const databases = `* = host=${hostname} port=${target.port} user=${username} password=${password}`;
    const settings = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any' };
    const lines = Object.entries({ ...settings, pool_mode: poolMode }).map(([name, value]) => `${name} = ${value}`);
    await writeFile(file, ['[databases]', databases, '[pgbouncer]', ...lines, ''].join('\n'));
    const isRoot = process.getuid?.() === 0;
    const child = spawn(program, [file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line);
      if (line.includes('process up')) return new PgBouncer(child, folder, port);
    }
    throw new Error(`PgBouncer did not start: ${said.join('\n')}`);
  }

  /** The same database through the pooler. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.port = String(this.port);
    return url.href;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
