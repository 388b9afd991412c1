import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { runCommand, type CommandResult } from '../support/command.js';
import { FollowingCommand } from '../support/following-command.js';
import { ServerProcess } from '../support/server-process.js';
import { freshStorage, type TestStorage } from '../support/storage.js';
import { useServer } from '../support/test-server.js';

const server = useServer();

function waystation(...args: string[]): Promise<CommandResult> {
  return runCommand(server.storage, args, { WAYSTATION_API_URL: server.api.baseUrl });
}

function expectPlain(result: CommandResult, code: number): void {
  expect(result.code).toBe(code);
  expect(result.stderr).not.toMatch(/\bat .*\.js:\d+/);
}

describe('The command line', () => {
  it('prints the version and its commands', async () => {
    expect((await waystation('--version')).stdout).toMatch(/^\d+\.\d+\.\d+/);
    expect((await waystation('--help')).stdout).toMatch(/serve[\s\S]*token[\s\S]*secret[\s\S]*migrate/);
  });

  it('prints the machine secret, or where it is', async () => {
    expect((await waystation('secret')).stdout.trim()).toBe(server.storage.secret);
    expect((await waystation('secret', '--path')).stdout.trim()).toBe(path.join(server.storage.home, '.api-secret'));
  });

  it('makes, lists and revokes tokens of the running server', async () => {
    const made = await waystation('token', 'create', '--scope', 'runner', '--name', 'laptop');
    const token = made.stdout.trim();
    const api = server.api.as(token);
    expect((await api.post('/v1/runners/events', { events: [] })).status).toBe(200);
    const id = made.stderr.split(/\s+/)[0] ?? '';
    const list = await waystation('token', 'list');
    expect(list.stdout).toContain(id);
    expect(list.stdout).not.toContain(token);
    expectPlain(await waystation('token', 'revoke', id), 0);
    expect((await api.post('/v1/runners/events', { events: [] })).status).toBe(401);
  });

  it('takes the beginning of a token for the whole where no other begins so, and prints JSON', async () => {
    const make = async () => JSON.parse((await waystation('token', 'create', '--scope', 'runner', '--json')).stdout);
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push(await make());
    expect(made[0]).toMatchObject({ scope: 'runner', token: expect.any(String) });
    const ids = made.map(({ id }) => String(id));
    const shared = [...ids[0]!].findIndex((char, index) => ids.some((id) => id[index] !== char));
    if (shared > 0) {
      const both = await waystation('token', 'revoke', ids[0]!.slice(0, shared));
      expectPlain(both, 2);
      for (const id of ids) expect(both.stderr).toContain(`\n  ${id}`);
    }
    const revoked = await waystation('token', 'revoke', ids[0]!.slice(0, -1), '--json');
    expect(JSON.parse(revoked.stdout)).toEqual({ id: ids[0], status: 'revoked' });
    const again = await waystation('token', 'revoke', ids[0]!.slice(0, -1));
    expect([again.code, again.stderr]).toEqual([
      1,
      `There is no token ${ids[0]!.slice(0, -1)}; see npx waystation token list.\n`,
    ]);
  });

  it('prints as JSON what other commands say in words', async () => {
    const json = async (...args: string[]) => JSON.parse((await waystation(...args, '--json')).stdout) as unknown;
    expect(await json('secret')).toEqual({ secret: server.storage.secret });
    await writeFile(path.join(server.storage.home, 'checked.yaml'), 'agents: { a: { command: [cat] } }\n');
    expect(await json('agent', 'checked.yaml', '--check')).toEqual({
      file: 'checked.yaml',
      agents: ['a'],
      triggers: 0,
      warnings: [],
    });
    const file = path.join(server.storage.home, 'all.backup');
    expect(await json('backup', file)).toEqual({ file, bytes: expect.any(Number) });
  });

  it('shows times in the zone of the reader', async () => {
    const { stdout } = await waystation('token', 'list', '--json');
    const { created_at } = JSON.parse(stdout.split('\n')[0]!) as { created_at: string };
    const env = { WAYSTATION_API_URL: server.api.baseUrl, TZ: 'Asia/Kolkata' };
    const shown = (await runCommand(server.storage, ['token', 'list'], env)).stdout;
    const inKolkata = new Date(Date.parse(created_at) + 5.5 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    expect(shown).toContain(inKolkata);
  });

  it('says plainly what was wrong', async () => {
    expectPlain(await waystation('token', 'create', '--scope', 'root'), 2);
    expectPlain(await waystation('nonsense'), 2);
    expectPlain(await waystation('token', 'revoke', 'unknown'), 1);
    const away = await runCommand(server.storage, ['token', 'list'], { WAYSTATION_API_URL: 'http://127.0.0.1:9' });
    expectPlain(away, 1);
    expect(away.stderr).toContain('127.0.0.1:9');
  });

  it('takes no web page for the API', async () => {
    const page = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<html>'));
    page.listen(0, '127.0.0.1');
    await once(page, 'listening');
    const { port } = page.address() as AddressInfo;
    const { code, stdout, stderr } = await runCommand(server.storage, ['threads'], {
      WAYSTATION_API_URL: `http://127.0.0.1:${port}`,
    });
    page.close();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('is not the API of Waystation: it sends text/html. Set WAYSTATION_API_URL');
    const console = await runCommand(server.storage, ['threads'], {
      WAYSTATION_API_URL: `${server.api.baseUrl}/console`,
    });
    expect([console.code, console.stderr]).toEqual([1, expect.stringContaining('is not the API of Waystation')]);
  });

  it('says where a wrong token came from', async () => {
    const wrong = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN: 'x'.repeat(40) };
    expect((await runCommand(server.storage, ['threads'], wrong)).stderr).toMatch(/It came from WAYSTATION_TOKEN\.\n$/);
  });

  it('says where a token came from that may not do this, on a machine whose secret may', async () => {
    const { stdout } = await runCommand(server.storage, ['token', 'create', '--scope', 'runner']);
    const WAYSTATION_TOKEN = stdout.trim();
    const narrow = { WAYSTATION_API_URL: server.api.baseUrl, WAYSTATION_TOKEN };
    const refused = await runCommand(server.storage, ['approvals'], narrow);
    expect(refused.stderr).toBe(
      "The server refused (403): A token of scope runner may not do this; one of scope approver or reader or admin may. It came from WAYSTATION_TOKEN; without that this command uses this machine's secret.\n",
    );
    const elsewhere = { ...narrow, WAYSTATION_SECRET_FILE: '/nowhere/secret' };
    expect((await runCommand(server.storage, ['approvals'], elsewhere)).stderr).toMatch(/or admin may\.\n$/);
  });

  it('says that no server has run yet, in the words that the reader can type', async () => {
    const home = path.join(server.storage.home, 'nobody');
    const { code, stderr } = await runCommand(server.storage, ['threads'], {
      ...{ WAYSTATION_HOME: home, WAYSTATION_SECRET_FILE: '', DATABASE_URL: '' },
    });
    expect(stderr).toBe(
      `No API server has run here yet: there is no ${home}/.api-secret. ` +
        'Start one with `npx waystation serve`, or set WAYSTATION_API_URL and WAYSTATION_TOKEN.\n',
    );
    expect(code).toBe(1);
  });

  it('says so where there is nothing to list', async () => {
    const { code, stdout, stderr } = await waystation('channels', 'list');
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringContaining('No channels yet.')]);
  });

  it('shows the machine secret to no API on another machine', async () => {
    // An unused address (RFC 5737), so that nothing is even sent.
    const env = { WAYSTATION_API_URL: 'http://192.0.2.1:8000' };
    await writeFile(path.join(server.storage.home, 'agents.yaml'), 'agents: { a: { command: [cat] } }\n');
    for (const args of [['approvals'], ['token', 'list'], ['agent', 'agents.yaml']]) {
      const result = await runCommand(server.storage, args, env);
      expectPlain(result, 2);
      expect(result.stderr).toContain('WAYSTATION_TOKEN');
    }
  });

  it('takes a folder `.env` for none of its business, and names a file that it cannot read', async () => {
    const file = path.join(server.storage.home, '.env');
    await mkdir(file);
    expectPlain(await waystation('--version'), 0);
    await rm(file, { recursive: true });
    await writeFile(file, 'WAYSTATION_API_URL=not-a-url\n');
    expect((await runCommand(server.storage, ['token', 'list'])).stderr).toContain('WAYSTATION_API_URL');
    await rm(file);
  });

  it('names every fault of the configuration, and no value', async () => {
    const faults = { WAYSTATION_PORT: '70000', WAYSTATION_LOG_LEVEL: 'loud', WAYSTATION_CACHE_BYTES: 'lots' };
    const result = await runCommand(server.storage, ['serve'], faults);
    expectPlain(result, 2);
    for (const [name, value] of Object.entries(faults)) {
      expect(result.stderr).toContain(name);
      expect(result.stderr).not.toContain(value);
    }
  });
});

describe('Starting a server', () => {
  let storage: TestStorage;

  beforeEach(async () => {
    storage = await freshStorage();
  });
  afterEach(() => storage.dispose());

  it('on a port that is taken fails with a word about the port', async () => {
    const { port } = new URL(server.api.baseUrl);
    const result = await runCommand(storage, ['serve', '--port', port]);
    expectPlain(result, 1);
    expect(result.stderr).toContain(port);
  });

  it.each([['serve', '--port', '0'], ['agent', 'agents.yaml', '--port', '0'], ['secret']])(
    'in a home that cannot be made fails in one sentence: %s',
    async (...args) => {
      await writeFile(path.join(storage.home, 'agents.yaml'), 'agents: { a: { command: [cat] } }\n');
      const home = path.join(storage.home, '.api-secret', 'home');
      const { code, stdout, stderr } = await runCommand(storage, args, {
        WAYSTATION_HOME: home,
        WAYSTATION_TOKEN: 'x',
      });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(
        `The home directory ${home} cannot be created: a part of the path is a file, not a folder. Set WAYSTATION_HOME to a folder in which this user may write.\n`,
      );
    },
  );

  it.each([['serve', '--port', '0'], ['agent', 'agents.yaml', '--port', '0'], ['secret'], ['open']])(
    'in a home below a folder that refuses fails in one sentence: %s',
    async (...args) => {
      if (process.platform !== 'linux') return;
      await writeFile(path.join(storage.home, 'agents.yaml'), 'agents: { a: { command: [cat] } }\n');
      const env = { WAYSTATION_HOME: '/proc/nope' };
      const { code, stdout, stderr } = await runCommand(storage, args, env, { killAfterMs: 20_000 });
      expect([code === 1 || code === 2, stdout]).toEqual([true, '']);
      expect(stderr).toContain('/proc/nope');
    },
  );

  it.each([
    [['agent', 'agents.yaml', '--port', '0'], { WAYSTATION_STATE_DIR: '/proc/nope/state' }],
    [['serve', '--port', '0'], { WAYSTATION_SQLITE_PATH: '/proc/nope/waystation.db', DATABASE_URL: undefined }],
    [['serve', '--port', '0'], { WAYSTATION_SECRET_FILE: '/proc/nope/secret', DATABASE_URL: undefined }],
    [['backup', '/proc/nope/backup.db'], {}],
  ])('below a folder that refuses fails: %j %j', async (args, env) => {
    if (process.platform !== 'linux') return;
    await runCommand(storage, ['migrate']);
    await writeFile(path.join(storage.home, 'agents.yaml'), 'agents: { a: { command: [cat] } }\n');
    const { code, stderr } = await runCommand(storage, args, env, { killAfterMs: 20_000 });
    expect([code === 1 || code === 2, stderr]).toEqual([true, expect.stringContaining('/proc/nope')]);
  });

  it('in a home that others can write is refused by every command, with the command that fixes it', async () => {
    await chmod(storage.home, 0o777);
    for (const args of [['serve', '--port', '0'], ['threads'], ['secret'], ['agent', 'agents.yaml', '--check']]) {
      const { code, stderr } = await runCommand(storage, args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`chmod 700 ${storage.home}`)]);
    }
  });

  it('in a home that others can read says so at its start', async () => {
    await chmod(storage.home, 0o755);
    const started = await ServerProcess.start(storage, { env: { WAYSTATION_LOG_LEVEL: 'warn' } });
    try {
      expect(started.printed).toContain(`chmod 700 ${storage.home}`);
    } finally {
      await started.stop();
    }
  });

  it.each([['approvals'], ['token', 'list'], ['effects'], ['tail']])(
    'where it cannot be is refused in plain words by %s %s',
    async (...args) => {
      const home = path.join(storage.home, '.api-secret', 'home');
      const { code, stdout, stderr } = await runCommand(storage, args, { WAYSTATION_HOME: home });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`${home}/.api-secret cannot be read: a part of the path is a file, not a folder`);
    },
  );

  it('prints a first request that a shell can send, whatever the name of the home', async () => {
    const home = path.join(storage.home, "kim's home");
    const env = { WAYSTATION_HOME: home, WAYSTATION_SECRET_FILE: '', WAYSTATION_LOG_LEVEL: 'silent' };
    const command = FollowingCommand.start(storage, ['serve', '--port', '0'], env);
    try {
      await command.until('the first request', ({ stdout }) => /^ {2}try .*\n/m.test(stdout));
      const [, line] = /^ {2}try +(curl .*)$/m.exec(command.stdout)!;
      const { stdout } = await promisify(execFile)('sh', ['-c', line!]);
      expect(JSON.parse(stdout)).toMatchObject({ items: [] });
    } finally {
      command.kill();
    }
  });

  it('with a secret that others can read is refused with the command that fixes it', async () => {
    const file = path.join(storage.home, '.api-secret');
    await chmod(file, 0o644);
    const result = await runCommand(storage, ['serve', '--port', '0']);
    expectPlain(result, 2);
    expect(result.stderr).toContain('chmod 600');
    expect(result.stderr).not.toContain(storage.secret);
  });

  it('on a file that is no database is refused plainly', async () => {
    await writeFile(
      storage.sqlitePath,
      'this is not a database, and longer than a header of one would have to be '.repeat(20),
    );
    const result = await runCommand(storage, ['serve', '--port', '0']);
    expectPlain(result, 1);
    expect(result.stderr).not.toContain('Unexpected');
  });

  it('migrates the database up and down by command', async () => {
    expect((await runCommand(storage, ['migrate'])).stdout).toContain('applied');
    expect((await runCommand(storage, ['migrate'])).stdout).toContain('up to date');
    expect((await runCommand(storage, ['migrate', '--down'])).stdout).toContain('reverted');
  });

  it('makes a secret that only its owner can read', async () => {
    const file = path.join(storage.home, '.api-secret');
    await rm(file);
    const results = await Promise.all(Array.from({ length: 4 }, () => runCommand(storage, ['secret'])));
    const secrets = new Set(results.map((result) => result.stdout.trim()));
    expect(secrets.size).toBe(1);
    expect([...secrets][0]).toMatch(/^[0-9a-f]{64}$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});
