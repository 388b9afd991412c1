import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { claudeAsks, codexAsks } from '../../factories/hook-inputs.js';
import { hookOutput } from '../../support/hook-requests.js';
import { useServer } from '../../support/test-server.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

const server = useServer();
let folder: string;
let clone: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waystation-clone-'));
  clone = path.join(folder, "Kim's clone (new)");
  const page = path.join(PROJECT, 'dist', 'console');
  await cp(path.join(PROJECT, 'dist'), path.join(clone, 'dist'), {
    recursive: true,
    filter: (from) => from !== page && !from.endsWith('.map'),
  });
  await cp(path.join(PROJECT, 'package.json'), path.join(clone, 'package.json'));
  await mkdir(path.join(clone, 'node_modules', '.bin'), { recursive: true });
  await cp(path.join(PROJECT, 'node_modules/.bin/waystation'), path.join(clone, 'node_modules/.bin/waystation'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Settings {
  hooks: Record<string, { hooks: { command: string }[] }[]>;
}

describe('The settings that a clone prints', () => {
  it.each([
    ['claude', claudeAsks],
    ['codex', codexAsks],
  ])('run the hook of %s in any folder, where no shell finds waystation', async (platform, asks) => {
    const flags = ['--agent', "kim's laptop", '--on-timeout', 'deny'];
    const printed = await run(process.execPath, ['dist/cli.js', 'hook', platform, ...flags], { cwd: clone });
    expect(printed.stderr).toContain(clone);
    const { hooks } = JSON.parse(printed.stdout) as Settings;
    const { command } = hooks.PermissionRequest![0]!.hooks[0]!;
    const repository = path.join(folder, 'repository');
    await mkdir(repository, { recursive: true });
    const input = path.join(repository, 'input.json');
    await writeFile(input, JSON.stringify(asks('npm publish')));
    const env = { PATH: '/usr/bin:/bin', HOME: folder, ...server.storage.env };
    const { stdout, stderr } = await run('sh', ['-c', `${command} --timeout 0.5 < input.json`], {
      cwd: repository,
      env,
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(hookOutput({ behavior: 'deny', message: 'Nobody has decided in time.' }));
  });
});
