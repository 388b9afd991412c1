import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PROJECT = path.resolve(import.meta.dirname, '../..');
/** Makes a program believe that it runs on another version of Node. */
const NODE_18 = `--import=data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })",
)}`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'waystation-first-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function runNode(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

/** A clone without packages; npm is replaced by this script, and building takes no time. */
function cloneWithNpm(script: string): { start: string; env: Record<string, string> } {
  cpSync(path.join(PROJECT, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(path.join(PROJECT, name), path.join(folder, name));
  writeFileSync(path.join(folder, 'scripts', 'build.mjs'), '');
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\necho "$*" >> "${folder}/asked"\n${script}\n`);
  chmodSync(path.join(bin, 'npm'), 0o755);
  const env = { PATH: `${bin}${path.delimiter}${process.env.PATH}`, TMPDIR: folder };
  return { start: path.join(folder, 'scripts', 'start.mjs'), env };
}

describe('An older Node', () => {
  it.each(['dist/cli.js', 'dist/main.js', 'dist/agent.js', 'scripts/start.mjs', 'scripts/ensure-installed.mjs'])(
    'gets one sentence from %s',
    async (file) => {
      const { code, stdout, stderr } = await runNode([NODE_18, path.join(PROJECT, file), '--version']);
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: '',
        stderr: 'Waystation needs Node 20.19 or later; this is 18.20.\n',
      });
    },
  );
});

describe('The first start', () => {
  it('says in one line that SQLite could not be compiled, what it needs, and where the rest of the output is', async () => {
    const { start, env } = cloneWithNpm(
      'case "$1" in rebuild) echo "npm error gyp ERR! not found: make" >&2; exit 1;; esac',
    );
    const { code, stdout } = await runNode([start], env);
    expect(code).toBe(1);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(
      /^Preparing SQLite failed \(exit code 1\): .*neither be downloaded from GitHub nor compiled here\. .* All of its output: \S+$/,
    );
    expect(readFileSync(lines.at(-1)!.split(' ').at(-1)!, 'utf8')).toContain('gyp ERR! not found: make');
    expect(
      lines.slice(0, -1).filter((line) => !/^(Installing packages|Preparing SQLite|Building Waystation)/.test(line)),
    ).toEqual([]);
  });

  it('says in one line what npm found wrong', async () => {
    const { start, env } = cloneWithNpm(
      'printf "npm error code E404\\nnpm error 404 Not Found: no-such-package\\n" >&2; exit 1',
    );
    const { code, stdout } = await runNode([start], env);
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(/^Installing packages failed \(exit code 1\): 404 Not Found: no-such-package\. All of/),
    ]);
    expect(readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n')).toHaveLength(1);
  });
});

describe('The demonstration', () => {
  it('ends quietly when its reader has seen enough', async () => {
    const { code, stdout, stderr } = await new Promise<Ended>((resolve) => {
      const command = 'set -o pipefail; node scripts/demo.mjs | head -n 2';
      execFile('bash', ['-c', command], { cwd: PROJECT }, (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout: out, stderr: err });
      });
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('server  http://127.0.0.1:');
  });
});

describe('An installation of the packed file', () => {
  function installed(...files: string[]): string {
    const loaded = ['node_modules/sqlite3/package.json', 'node_modules/sqlite3/index.js', 'package.json'];
    for (const file of [...loaded, ...files]) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), file.endsWith('.json') ? '{}' : '');
    }
    const script = path.join(folder, 'tools/ready-sqlite3.mjs');
    cpSync(path.join(PROJECT, 'tools/ready-sqlite3.mjs'), script);
    return script;
  }
  const left = () =>
    readdirSync(path.join(folder, 'node_modules/sqlite3'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        path.relative(folder, path.join(entry.parentPath, entry.name)).slice('node_modules/sqlite3/'.length),
      )
      .sort();
  const compiled = ['obj.target/a.o', 'sqlite3.a', 'node_sqlite3.node'].map(
    (file) => `node_modules/sqlite3/build/Release/${file}`,
  );

  it('keeps of the compiled SQLite what is used', async () => {
    const script = installed(...compiled, 'node_modules/sqlite3/build/Makefile', 'node_modules/sqlite3/lib/sqlite3.js');
    expect(await runNode([script])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(left()).toEqual(['build/Release/node_sqlite3.node', 'index.js', 'lib/sqlite3.js', 'package.json']);
  });

  it('takes SQLite from the packed file where it was packed on the same platform, with no network', async () => {
    const packing = `import { packSqlite } from ${JSON.stringify(path.join(PROJECT, 'scripts/pack-sqlite3.mjs'))};
      packSqlite(process.argv[1]);`;
    const packed = path.join(folder, 'dist/prebuilds');
    expect(await runNode(['--input-type=module', '--eval', packing, packed])).toMatchObject({ code: 0, stderr: '' });
    for (const part of ['.prebuild-installrc', 'node_modules/sqlite3/package.json'])
      cpSync(path.join(PROJECT, part), path.join(folder, part), { recursive: true });
    const cwd = path.join(folder, 'node_modules/sqlite3');
    const install = [path.join(PROJECT, 'node_modules/prebuild-install/bin.js'), '-r', 'napi'];
    const env = { ...process.env, npm_config_https_proxy: 'http://127.0.0.1:1' };
    const code = await new Promise((resolve) =>
      execFile(process.execPath, install, { cwd, env }, (error) => resolve(error?.code ?? 0)),
    );
    expect([code, left()]).toEqual([0, ['build/Release/node_sqlite3.node', 'package.json']]);
  });

  it('compiles SQLite where the program of the packed file does not run', async () => {
    const script = installed('node_modules/sqlite3/build/Release/node_sqlite3.node', 'bin/node-gyp');
    writeFileSync(path.join(folder, 'node_modules/sqlite3/index.js'), 'throw new Error("GLIBC_2.34 not found")');
    writeFileSync(path.join(folder, 'bin/node-gyp'), '#!/bin/sh\necho "$*" > compiled\n');
    chmodSync(path.join(folder, 'bin/node-gyp'), 0o755);
    await runNode([script], { PATH: `${path.join(folder, 'bin')}${path.delimiter}${process.env.PATH}` });
    expect(readFileSync(path.join(folder, 'node_modules/sqlite3/compiled'), 'utf8')).toBe('rebuild\n');
  });

  it('leaves all of it where it was not compiled, or in a clone', async () => {
    const script = installed('node_modules/sqlite3/lib/sqlite3.js');
    expect(await runNode([script])).toEqual({ code: 0, stdout: '', stderr: '' });
    installed(...compiled, 'src/cli.ts');
    await runNode([script]);
    expect(left()).toHaveLength(6);
  });
});
