import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { untested } from '../support/clients/installed-client.js';
import { waitFor } from '../support/wait.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const MEBIBYTE = 1024 * 1024;
const run = promisify(execFile);

describe('The packed program, installed where nothing of the project is', () => {
  let folder: string;
  let server: ChildProcess | undefined;
  let program: string | null = null;
  let packedFiles: string[] = [];
  let reason = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waystation-packed-'));
    // Not `npm run pack`, whose build would replace the files that other tests run.
    const pack = ['scripts/pack.mjs', '--json', '--pack-destination', folder];
    const packed = await run(process.execPath, pack, { cwd: PROJECT, maxBuffer: 64 * MEBIBYTE });
    const [{ filename, files }] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
    packedFiles = files.map((file) => file.path);
    const install = ['install', '--global', '--prefix', folder, '--no-audit', '--no-fund', '--fetch-retries=0'];
    const installed = await run('npm', [...install, path.join(folder, filename)], { cwd: folder }).catch(
      (error: Error & { stderr?: string }) => error,
    );
    if (installed instanceof Error) reason = (installed.stderr ?? installed.message).slice(0, 1_000);
    else program = path.join(folder, 'bin', 'waystation');
  });

  afterAll(async () => {
    if (server !== undefined && server.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  });

  const env = () => ({ PATH: process.env.PATH, HOME: folder });
  const waystation = (...args: string[]) => run(program!, args, { cwd: folder, env: env() });

  it('has the page of the console, compressed forms and all', () => {
    const shipped = packedFiles.filter((name) => name.startsWith('dist/console/'));
    for (const ending of ['', '.br', '.gz']) expect(shipped).toContain(`dist/console/index.html${ending}`);
    expect(shipped.filter((name) => /assets\/index-[\w-]+\.js$/.test(name)).length).toBeGreaterThan(0);
  });

  it('takes less than 45 MB, and holds the program of SQLite', async () => {
    if (program === null) return untested('the packed program', reason);
    const root = path.join(folder, 'lib', 'node_modules', 'waystation');
    expect((await bytesIn(path.join(folder, 'lib'))) / MEBIBYTE).toBeLessThan(45);
    expect(existsSync(path.join(root, 'node_modules/sqlite3/build/Release/node_sqlite3.node'))).toBe(true);
  });

  it('serves, with its pages, and its commands find the server', async () => {
    if (program === null) return untested('the packed program', reason);
    const work = path.join(folder, 'work');
    await mkdir(work);
    server = spawn(program, ['serve', '--port', '0', '--json'], {
      cwd: work,
      env: env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    server.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    const { url } = await waitFor('the server', () =>
      Promise.resolve(printed.endsWith('}\n') && (JSON.parse(printed) as { url: string })),
    );
    for (const page of [
      '/health',
      '/console/',
      '/docs',
      '/docs/guides/',
      '/docs/guides/channels',
      '/clients/',
      '/clients/waystation-client.tgz',
      '/docs/swagger-ui-bundle.js',
      '/docs-json',
    ]) {
      expect([page, (await fetch(url + page)).status]).toEqual([page, 200]);
    }
    const made = await waystation('token', 'create', '--scope', 'runner');
    const event = { type: 'thread_started', agent_id: 'packed', trace_id: 'run-1', data: { thread_id: 'packed-1' } };
    const reported = await fetch(`${url}/v1/runners/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.stdout.trim()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: [event] }),
    });
    expect(reported.status).toBe(200);
    expect((await waystation('--help')).stdout).toMatch(/serve[\s\S]*threads/);
    expect((await waystation('threads')).stdout).toContain('packed-1');
    expect((await waystation('doctor')).stdout).not.toContain('FAIL');
  });
});

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map((name) => stat(path.join(folder, name))));
  return sizes.reduce((total, one) => total + (one.isFile() ? one.size : 0), 0);
}
