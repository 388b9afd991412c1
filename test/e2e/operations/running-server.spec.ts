import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { completed, newThreadId, started } from '../../factories/events.js';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import { runCommand } from '../../support/command.js';
import { testDialect } from '../../support/dialect.js';
import { FollowingCommand } from '../../support/following-command.js';
import { freePort } from '../../support/free-port.js';
import { record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const server = useServer({ isAlone: true });

const recordOf = ({ home }: TestStorage) => path.join(home, 'run', 'server.json');
const readRecord = (storage: TestStorage) => JSON.parse(readFileSync(recordOf(storage), 'utf8'));

describe('A running server', () => {
  it('says where it is, to its own user', () => {
    const { storage, process: running } = server;
    expect(readRecord(storage)).toEqual({
      url: running.address,
      public_url: null,
      pid: running.pid,
      process_start: expect.any(String),
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      database: storage.databaseUrl === null ? storage.sqlitePath : null,
      storage: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(statSync(recordOf(storage)).mode & 0o777).toBe(0o600);
  });

  it('says it as one line of JSON to programs, without a secret', async () => {
    const storage = await freshStorage();
    const other = await ServerProcess.start(storage, { args: ['--json'], env: { WAYSTATION_RECEIVER_PORT: '0' } });
    try {
      const { url, pid, version, database } = readRecord(storage);
      expect(other.printed).toMatch(/^[^\n]+\n$/);
      expect(JSON.parse(other.printed)).toEqual({
        ...{ url, pid, version, database },
        secret_file: path.join(storage.home, '.api-secret'),
        receiver_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      });
      expect(other.printed).not.toContain(storage.secret);
    } finally {
      await other.stop();
      await storage.dispose();
    }
  });
});

/** Independent of the database. */
if (testDialect() === 'sqlite') {
  describe('A running server', () => {
    it('is found by commands on any port, unless an address is set', async () => {
      const found = await runCommand(server.storage, ['token', 'list']);
      expect(found.stderr).toContain('No tokens yet.');
      expect(found.code).toBe(0);
      const set = await runCommand(server.storage, ['token', 'list'], { WAYSTATION_API_URL: 'http://127.0.0.1:9' });
      expect(set.stderr).toContain('http://127.0.0.1:9');
    });

    it.each([
      ['node', 'examples/node-agent/main.mjs'],
      ['python3', 'examples/python-agent/agent.py'],
    ])('is found by the example for %s', async (program, file) => {
      const threadId = newThreadId();
      const { PATH, HOME } = process.env;
      const env = { PATH, HOME, WAYSTATION_HOME: server.storage.home };
      const child = spawn(program, [path.join(PROJECT, file), threadId], { env, stdio: 'ignore' });
      try {
        const isThere = async () => (await server.api.get(`/threads/${threadId}`)).status === 200;
        await waitFor('the example to report', isThere);
      } finally {
        child.kill('SIGKILL');
      }
    });

    it('is found by `waystation/client`', async () => {
      const threadId = newThreadId();
      const script = `
      import { WaystationClient } from ${JSON.stringify(path.join(PROJECT, 'dist/client/waystation-client.js'))};
      const client = new WaystationClient();
      await client.start({ thread_id: ${JSON.stringify(threadId)} });
      process.exit((await client.close()) ? 0 : 1);`;
      const { home, secret } = server.storage;
      const env = { PATH: process.env.PATH, WAYSTATION_HOME: home, WAYSTATION_TOKEN: secret, WAYSTATION_AGENT_ID: 'a' };
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: 'ignore' });
      expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
      expect((await server.api.get(`/threads/${threadId}`)).status).toBe(200);
    });
  });

  describe('A server that starts', () => {
    let storage: TestStorage;
    beforeEach(async () => {
      storage = await freshStorage();
    });
    afterEach(() => storage.dispose());

    it('takes its record away when it stops, and leaves a stale one when it is killed, which deceives nobody', async () => {
      const first = await ServerProcess.start(storage, { isAlone: true });
      await first.kill();
      expect(existsSync(recordOf(storage))).toBe(true);
      const away = await runCommand(storage, ['token', 'list']);
      expect(away.stderr).not.toContain(first.address);
      const second = await ServerProcess.start(storage, { isAlone: true });
      expect(readRecord(storage).pid).toBe(second.pid);
      expect(await second.stop()).toBe(0);
      expect(existsSync(recordOf(storage))).toBe(false);
    });

    it('says again where it is when the record has gone', async () => {
      const first = await ServerProcess.start(storage, { isAlone: true });
      await rm(recordOf(storage));
      await waitFor('the record', () => existsSync(recordOf(storage)));
      expect(readRecord(storage).pid).toBe(first.pid);
      expect(await first.stop()).toBe(0);
      expect(existsSync(recordOf(storage))).toBe(false);
    });

    it('is followed to another port by commands that wait', async () => {
      const threadId = newThreadId();
      const first = await ServerProcess.start(storage, { isAlone: true });
      await record(first.api, started(threadId));
      const one = FollowingCommand.start(storage, ['tail', threadId, '--json']);
      try {
        await one.until('the start', ({ stdout }) => stdout.includes('in_progress'));
        await first.stop();
        const second = await ServerProcess.start(storage, { env: { WAYSTATION_PORT: String(await freePort()) } });
        await record(second.api, completed(threadId));
        await one.until('the end', ({ stdout }) => stdout.includes('"completed"'));
        await second.stop();
      } finally {
        one.kill();
      }
    });

    it('is followed by an agent process to another port', async () => {
      const agents = { echo: { command: ['cat'] } };
      const first = await ServerProcess.start(storage, { isAlone: true });
      const runner = await AgentRunner.start({ storage, apiUrl: '', agents });
      try {
        await first.stop();
        const second = await ServerProcess.start(storage, { env: { WAYSTATION_PORT: String(await freePort()) } });
        const threadId = newThreadId();
        await runner.launch('echo', threadId);
        expect((await endOf(second.api, threadId)).status).toBe('completed');
        await second.stop();
      } finally {
        await runner.stop();
      }
    });
  });
}

if (testDialect() === 'postgres') {
  describe('A second server', () => {
    it('is found by commands when the first has stopped', async () => {
      const storage = await freshStorage();
      const first = await ServerProcess.start(storage, { isAlone: true });
      const second = await ServerProcess.start(storage, { isAlone: true });
      try {
        expect(readRecord(storage).pid).toBe(first.pid);
        await first.stop();
        await waitFor('its record', () => existsSync(recordOf(storage)));
        expect(readRecord(storage)).toMatchObject({ pid: second.pid, url: second.address });
      } finally {
        await second.stop();
        await storage.dispose();
      }
    });
  });
}

if (testDialect() === 'sqlite') {
  describe('A second server', () => {
    it('says who already runs, whatever port it is given', async () => {
      const { storage, process: running } = server;
      for (const port of ['0', new URL(running.address!).port]) {
        const { code, stdout, stderr } = await runCommand(storage, ['serve', '--port', port]);
        expect(stderr).toMatch(
          new RegExp(
            `^Already running at ${running.address} \\(pid ${running.pid}, since [-0-9: ]*\\d\\d:\\d\\d\\)\n$`,
          ),
        );
        expect([code, stdout]).toEqual([1, '']);
      }
      expect(readRecord(storage).pid).toBe(running.pid);
    });

    it.each(['WAYSTATION_PORT', 'WAYSTATION_RECEIVER_PORT'])('creates nothing when %s is taken', async (name) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'waystation-test-'));
      const home = path.join(folder, 'home');
      const taken = new URL(server.process.address!).port;
      const env = { WAYSTATION_HOME: home, WAYSTATION_PORT: '0', [name]: taken };
      const { code, stderr } = await runCommand(server.storage, ['serve'], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`Something else already uses port ${taken}`)]);
      expect(stderr).toMatch(new RegExp(`[ =]${Number(taken) + 1}\n$`));
      expect(readdirSync(folder)).toEqual([]);
      await rm(folder, { recursive: true });
    });
  });
}
