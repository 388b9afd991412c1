import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ForeignFolder } from '../../support/foreign-folder.js';
import { useServer } from '../../support/test-server.js';

const PUBLIC_URL = 'https://waystation.example';
const OTHER_MACHINE = 'http://192.0.2.1:8000';
const server = useServer({ env: { WAYSTATION_PUBLIC_URL: PUBLIC_URL } });
let folder: ForeignFolder;
/** A person who has set no variable: the server's home directory is the usual one. */
let person: Record<string, string | undefined>;
let toolsFolder: string;

beforeAll(async () => {
  folder = await ForeignFolder.make();
  const personHome = path.join(server.storage.home, 'person');
  await mkdir(personHome);
  await symlink(server.storage.home, path.join(personHome, '.waystation'));
  person = { HOME: personHome, WAYSTATION_HOME: undefined };
  toolsFolder = await mkdtemp(path.join(tmpdir(), 'waystation-tools-'));
});
afterAll(async () => {
  await folder.remove();
  await rm(toolsFolder, { recursive: true, force: true });
});
afterEach(() => folder.heard.splice(0));

/** Runs a command in the folder with this `.env`. */
const inFolder = (lines: readonly string[], args: readonly string[], env: typeof person = {}) =>
  folder.run(server.storage, lines, args, env);

const heard = () => Buffer.concat(folder.heard).toString('latin1');
const hasRun = () =>
  stat(folder.marker).then(
    () => true,
    () => false,
  );

describe('The .env of a folder that somebody else wrote', () => {
  it.each([
    ['a token of the environment', (): Record<string, string> => ({ WAYSTATION_TOKEN: server.api.token })],
    ['the machine secret', () => ({})],
  ])('sends %s to no other machine and no other port', async (_what, env) => {
    for (const address of [OTHER_MACHINE, folder.address]) {
      const result = await inFolder([`WAYSTATION_API_URL=${address}`, 'WAYSTATION_TOKEN='], ['threads'], env());
      expect(result.stderr).toMatch(/^The configuration of Waystation is invalid:\n {2}WAYSTATION_TOKEN: must be /);
      expect(result.code).toBe(2);
    }
    expect(heard()).toBe('');
  });

  it('names no file whose content would be sent', async () => {
    const secretFile = path.relative(folder.path, path.join(server.storage.home, '.api-secret'));
    const address = `WAYSTATION_API_URL=${folder.address}`;
    for (const name of ['WAYSTATION_TOKEN_FILE', 'WAYSTATION_SECRET_FILE']) {
      for (const more of [[], ['WAYSTATION_TOKEN='], ['WAYSTATION_TOKEN= "" ']]) {
        const { code, stderr } = await inFolder([address, `${name}=${secretFile}`, ...more], ['threads']);
        expect([code, stderr]).toEqual([2, expect.stringContaining('WAYSTATION_TOKEN')]);
      }
    }
    expect(heard()).toBe('');
  });

  it('makes no secret of another place that of its own home directory', async () => {
    const home = await folder.mixedHome(server.storage);
    for (const name of [home, path.relative(folder.path, home)]) {
      const { code, stderr } = await inFolder([`WAYSTATION_HOME=${name}`], ['threads'], person);
      expect([code, stderr]).toEqual([2, expect.stringContaining('is a link')]);
    }
    expect(heard()).toBe('');
  });

  it('names the own home directory, and still no other address for its secret', async () => {
    const own = `WAYSTATION_HOME=${path.relative(folder.path, server.storage.home)}`;
    expect(await inFolder([own], ['threads', '--json'], person)).toMatchObject({ code: 0, stderr: '' });
    expect(await inFolder([own, `WAYSTATION_API_URL=${folder.address}`], ['threads'], person)).toMatchObject({
      code: 2,
    });
    const token = { ...person, WAYSTATION_TOKEN: server.api.token };
    const home = await folder.mixedHome(server.storage);
    expect(await inFolder([`WAYSTATION_HOME=${home}`], ['threads'], token)).toMatchObject({ code: 2 });
    expect(heard()).toBe('');
  });

  it('may name a server together with its token, and the own server without', async () => {
    const address = `WAYSTATION_API_URL=${server.api.baseUrl}`;
    expect(await inFolder([address, `WAYSTATION_TOKEN=${server.api.token}`], ['token', 'list'])).toMatchObject({
      code: 0,
    });
    expect(await inFolder([address], ['token', 'list'])).toMatchObject({ code: 0 });
    expect(await inFolder([address], ['token', 'list'], { WAYSTATION_TOKEN: server.api.token })).toMatchObject({
      code: 0,
    });
  });

  it('sends nothing through an agent process either', async () => {
    await writeFile(path.join(folder.path, 'agents.yaml'), 'agents: { a: { command: [cat] } }\n');
    const ways = [
      [`WAYSTATION_API_URL=${folder.address}`],
      [`WAYSTATION_API_FORWARD=${folder.address.replace('http', 'tcp')}`, `WAYSTATION_API_URL=${server.api.baseUrl}`],
      [`WAYSTATION_HOME=${await folder.mixedHome(server.storage)}`],
    ];
    for (const lines of ways) {
      for (const env of [person, { ...person, WAYSTATION_TOKEN: server.api.token }]) {
        const result = await inFolder(lines, ['agent', 'agents.yaml', '--port', '0'], env);
        expect([result.code, result.stderr]).toEqual([2, expect.stringMatching(/is invalid/)]);
      }
    }
    expect(heard()).toBe('');
  });

  it('names no place to which a server would send what it has', async () => {
    const serve = ['serve', '--port', '0'];
    const platform = await inFolder([`WAYSTATION_TELEGRAM_API_URL=${folder.address}`], serve);
    expect([platform.code, platform.stderr]).toEqual([2, expect.stringContaining('WAYSTATION_TELEGRAM_API_URL: must')]);
    const away = { DATABASE_URL: undefined, PGPASSWORD: 'of the person' };
    const database = await inFolder([`DATABASE_URL=postgres://u@${new URL(folder.address).host}/x`], serve, away);
    expect([database.code, database.stderr]).toEqual([2, expect.stringContaining('PGPASSWORD: must')]);
    const host = await inFolder(['PGHOST=192.0.2.1'], serve, { DATABASE_URL: 'postgres:///x' });
    expect([host.code, host.stderr]).toEqual([2, expect.stringContaining('PGHOST: must')]);
    const moved = await inFolder(
      [`DATABASE_URL=postgres://u:p@${new URL(folder.address).host}/x`],
      ['migrate-data'],
      away,
    );
    expect([moved.code, moved.stderr]).toEqual([1, expect.stringContaining('in the environment')]);
    expect(heard()).toBe('');
  });

  it('names no page to which a link with a code would lead', async () => {
    const lines = ['WAYSTATION_PUBLIC_URL=https://evil.example'];
    const open = ['open', '--print'];
    const given = { WAYSTATION_API_URL: server.api.baseUrl };
    expect((await inFolder(lines, open, given)).stdout).toMatch(`${server.api.baseUrl}/console/#code=`);
    const named = [...lines, `WAYSTATION_API_URL=${server.api.baseUrl}`];
    const token = { WAYSTATION_TOKEN: server.api.token };
    expect((await inFolder(named, open, token)).stdout).toMatch(`${server.api.baseUrl}/console/#code=`);
    expect((await inFolder(named, open)).stdout).toMatch(`${server.api.baseUrl}/console/#code=`);
    const home = [...lines, `WAYSTATION_HOME=${path.relative(folder.path, server.storage.home)}`];
    expect((await inFolder(home, open, person)).stdout).toMatch(`${PUBLIC_URL}/console/#code=`);
    const whole = [...named, `WAYSTATION_TOKEN=${server.api.token}`];
    expect((await inFolder(whole, open)).stdout).toMatch('https://evil.example/console/#code=');
  });

  it('names no such page by a home directory of its own either', async () => {
    const home = path.join(folder.path, 'second');
    await mkdir(path.join(home, 'run'), { recursive: true });
    const record = { url: server.api.baseUrl, public_url: 'https://evil.example', pid: 1, started_at: '', version: '' };
    await writeFile(path.join(home, 'run', 'server.json'), JSON.stringify(record));
    const token = { ...person, WAYSTATION_TOKEN: server.api.token };
    const { stdout } = await inFolder([`WAYSTATION_HOME=${home}`], ['open', '--print'], token);
    expect(stdout).not.toContain('evil');
  });

  it('that is very large or in another encoding is named, and a pipe is left alone', async () => {
    const utf16 = Buffer.from('\ufeffWAYSTATION_TOKEN=x\n', 'utf16le');
    for (const [content, words] of [
      [utf16, '.env: is UTF-16 or binary; save it as UTF-8'],
      [Buffer.alloc(2 * 1024 * 1024, 'a'), '.env: must not be larger than 1048576 bytes'],
    ] as const) {
      await writeFile(path.join(folder.path, '.env'), content);
      const result = await folder.runAsItIs(server.storage, ['threads']);
      expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(words)]);
    }
    await rm(path.join(folder.path, '.env'));
    await promisify(execFile)('mkfifo', [path.join(folder.path, '.env')]);
    expect(await folder.runAsItIs(server.storage, ['threads'])).toMatchObject({ code: 0 });
    await rm(path.join(folder.path, '.env'));
  });

  it('may begin with a byte order mark', async () => {
    const { code, stderr } = await inFolder(['\ufeffWAYSTATION_API_URL=not-a-url'], ['threads']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('WAYSTATION_API_URL: must be an http')]);
  });
});

/** Every command, with arguments that let it get as far as possible. */
const COMMANDS: readonly (readonly string[])[] = [
  ...[['threads'], ['show', 't'], ['tail', 't'], ['approvals'], ['approve', 't'], ['reject', 't'], ['effects']],
  ...[
    ['settle', 'e', '--done'],
    ['invoke', 'a', 'hello'],
    ['cancel', 't'],
    ['retry', 't'],
    ['open', '--print'],
  ],
  ...[
    ['token', 'list'],
    ['token', 'create', '--scope', 'reader', '--name', 'n'],
    ['channels', 'list'],
  ],
  ...[
    ['export', 't', 'out.jsonl'],
    ['import', 'agents.yaml'],
    ['agent', 'agents.yaml', '--check'],
  ],
  ...[['run', 'agents.yaml'], ['ps'], ['logs', 'a'], ['stop', 'a'], ['image']],
  ...[['hook', 'claude'], ['doctor', '--quick'], ['secret', '--path'], ['completion', 'bash'], ['migrate-data']],
];

describe('A command in a folder that somebody else wrote', () => {
  const programs = () => [
    ...['EDITOR=./bin/editor', 'VISUAL=./bin/editor', 'BROWSER=./bin/xdg-open', 'SHELL=./bin/sh', 'PAGER=./bin/sh'],
    ...[`PATH=${folder.path}/bin`, `LD_PRELOAD=${folder.path}/bin/evil.so`, 'DYLD_INSERT_LIBRARIES=./evil.dylib'],
    ...[`NODE_OPTIONS=--require=${folder.path}/hook.cjs`, 'NODE_PATH=.', 'HOME=.', 'XDG_CONFIG_HOME=.', 'TMPDIR=.'],
    ...[
      `DOCKER_HOST=${folder.address.replace('http', 'tcp')}`,
      `CONTAINER_HOST=${folder.address.replace('http', 'tcp')}`,
    ],
    ...[`HTTPS_PROXY=${folder.address}`, `HTTP_PROXY=${folder.address}`, `http_proxy=${folder.address}`],
    ...['NODE_TLS_REJECT_UNAUTHORIZED=0', 'NODE_EXTRA_CA_CERTS=./ca.pem', 'DOCKER_CONFIG=.', 'CONTAINERS_CONF=./c'],
  ];

  /** This person's engine, which notes its environment. */
  async function ownEngine(): Promise<{ PATH: string; noted: () => Promise<string> }> {
    const note = path.join(toolsFolder, 'noted.txt');
    await writeFile(note, '');
    const script = `#!/bin/sh\n/usr/bin/env >> '${note}'\nexit 0\n`;
    for (const name of ['docker', 'podman']) await writeFile(path.join(toolsFolder, name), script, { mode: 0o755 });
    return { PATH: `${toolsFolder}:${process.env.PATH}`, noted: () => readFile(note, 'utf8') };
  }

  beforeAll(async () => {
    await writeFile(path.join(folder.path, 'agents.yaml'), 'agents: { a: { command: [./bin/sh] } }\n');
    await chmod(folder.path, 0o755);
  });

  it('runs no program of it, and gives none of its variables to programs of this machine', async () => {
    const { PATH, noted } = await ownEngine();
    for (const args of COMMANDS) await inFolder(programs(), args, { PATH });
    expect(await hasRun()).toBe(false);
    expect(heard()).toBe('');
    const engineSaw = await noted();
    expect(engineSaw).toContain('PATH=');
    for (const line of programs()) expect(engineSaw).not.toContain(`\n${line}\n`);
  });

  it('takes the machine secret nowhere', async () => {
    const { PATH } = await ownEngine();
    const lines = [...programs(), `WAYSTATION_API_URL=${folder.address}`];
    for (const args of COMMANDS) {
      const { code, stdout, stderr } = await inFolder(lines, args, { PATH });
      expect([args, code]).toEqual([args, expect.any(Number)]);
      expect(stdout + stderr).not.toContain(server.storage.secret);
    }
    expect(heard()).toBe('');
  });

  it('builds no image on one that the folder names', async () => {
    const { PATH } = await ownEngine();
    const { code, stderr } = await inFolder(['WAYSTATION_BASE_IMAGE=evil/base'], ['image'], { PATH });
    expect([code, stderr]).toEqual([2, expect.stringContaining('WAYSTATION_BASE_IMAGE: must')]);
  });

  it('gives the terminal no command by names and contents of its files', async () => {
    const command = '\u001b]0;owned\u0007\u009b31m\u202e';
    const file = `a${command}.yaml`;
    const contents = [`agents: { "a${command}": { command: [cat] } }`, `"x${command}": 1`, `agents: [*${command}`];
    for (const content of [...contents, `agents: { a: { command: ["./no${command}"] } }`]) {
      await writeFile(path.join(folder.path, file), content);
      for (const args of [['--check'], ['--preview', '1']]) {
        const { stdout, stderr } = await inFolder([], ['agent', file, ...args]);
        expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
        expect(stdout + stderr).not.toBe('');
      }
    }
    const { stderr } = await inFolder([`WAYSTATION_HOME=/proc/nope${command}`], ['serve', '--port', '0'], person);
    expect(stderr).toMatch(/u001b/);
    expect(stderr).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
  });

  it('is not held up by links to what has no end', async () => {
    const home = path.join(folder.path, 'endless');
    await mkdir(path.join(home, 'run'), { recursive: true });
    await symlink('/dev/zero', path.join(home, '.api-secret'));
    await symlink('/dev/zero', path.join(home, 'run', 'server.json'));
    const { code, stderr } = await inFolder([`WAYSTATION_HOME=${home}`], ['threads'], person);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a link')]);
  });
});
