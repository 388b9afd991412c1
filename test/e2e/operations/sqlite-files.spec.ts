import { chmod, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { AgentRunner } from '../../support/agent-runner.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';

const NO_API = 'http://127.0.0.1:9';
const agents = { quiet: { command: ['sh', '-c', 'echo done'] } };

let storage: TestStorage;

beforeEach(async () => {
  storage = await freshStorage('sqlite');
});
afterEach(() => storage.dispose());

function expectRefused({ code, stderr }: CommandResult, file: string, what: RegExp): void {
  expect(code).toBe(1);
  expect(stderr).toContain(file);
  expect(stderr).toMatch(what);
  expect(stderr).not.toMatch(/Unexpected|\bat .*\.js:\d+/);
}

/** Names and contents of the files beside it. */
async function besides(file: string): Promise<string[]> {
  const names = (await readdir(path.dirname(file))).filter((name) => name.startsWith(path.basename(file)));
  return Promise.all(
    names.map(async (name) => `${name} ${await readFile(path.join(path.dirname(file), name), 'hex')}`),
  );
}

async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
}

async function modesOf(folder: string, pattern: RegExp): Promise<Record<string, number>> {
  const files = (await filesOf(folder)).filter((file) => pattern.test(file));
  const modes = files.map(async (file) => [path.basename(file), (await stat(file)).mode & 0o777] as const);
  return Object.fromEntries(await Promise.all(modes));
}

describe('A database file of 0 bytes', () => {
  it('is refused by the server, like other damage, and stays as it is', async () => {
    const server = await ServerProcess.start(storage);
    await server.stop();
    await truncate(storage.sqlitePath, 0);
    const before = await besides(storage.sqlitePath);
    expectRefused(await runCommand(storage, ['serve', '--port', '0']), storage.sqlitePath, /0 bytes.*[Rr]estore/);
    expectRefused(await runCommand(storage, ['migrate']), storage.sqlitePath, /0 bytes/);
    expect(await besides(storage.sqlitePath)).toEqual(before);
  });

  it('is refused beside a secret, even where no server was ever seen', async () => {
    await writeFile(storage.sqlitePath, '');
    expectRefused(await runCommand(storage, ['serve', '--port', '0']), storage.sqlitePath, /0 bytes/);
    expect((await stat(storage.sqlitePath)).size).toBe(0);
  });

  it('is found by the doctor, is not backed up, and gives way to a backup', async () => {
    const server = await ServerProcess.start(storage);
    const threadId = newThreadId();
    await server.api.post('/v1/runners/events', { events: [checkpoint(threadId, 0)] });
    await server.stop();
    const backup = path.join(storage.home, 'backup');
    expect((await runCommand(storage, ['backup', backup])).code).toBe(0);
    await truncate(storage.sqlitePath, 0);
    expect((await runCommand(storage, ['doctor'])).stdout).toMatch(/0 bytes/);
    expectRefused(await runCommand(storage, ['backup', '--force', backup]), storage.sqlitePath, /0 bytes/);
    expect((await runCommand(storage, ['restore', backup])).code).toBe(0);
    const again = await ServerProcess.start(storage);
    expect((await again.api.get(`/threads/${threadId}`)).status).toBe(200);
    await again.stop();
  });

  it('that is gone while its log is there is refused: the log may hold all there is', async () => {
    const server = await ServerProcess.start(storage);
    await server.api.post('/v1/runners/events', { events: [checkpoint(newThreadId(), 0)] });
    await server.kill();
    await rm(storage.sqlitePath);
    expectRefused(await runCommand(storage, ['serve', '--port', '0']), `${storage.sqlitePath}-wal`, /missing/);
    expect((await stat(`${storage.sqlitePath}-wal`)).size).toBeGreaterThan(0);
  });
});

describe('A state file of 0 bytes', () => {
  it('is refused by the agent process, which would forget what it owes', async () => {
    const runner = await AgentRunner.start({ storage, apiUrl: NO_API, agents });
    await runner.launch('quiet', newThreadId());
    await runner.kill();
    const state = (await filesOf(storage.home)).find((file) => file.endsWith('agent.db'))!;
    await truncate(state, 0);
    const before = await besides(state);
    const file = path.join(storage.home, 'agents', 'agents.json');
    const env = { WAYSTATION_API_URL: NO_API, WAYSTATION_LOG_LEVEL: 'error' };
    expectRefused(await runCommand(storage, ['agent', file, '--port', '0'], env), state, /0 bytes/);
    expect(await besides(state)).toEqual(before);
  });
});

describe('Files that hold messages', () => {
  it('are for their owner only, even in a folder that others may enter', async () => {
    await chmod(storage.home, 0o755);
    const server = await ServerProcess.start(storage);
    const runner = await AgentRunner.start({ storage, apiUrl: server.api.baseUrl, agents });
    await server.api.post('/v1/runners/events', { events: [checkpoint(newThreadId(), 0)] });
    expect((await runCommand(storage, ['backup', path.join(storage.home, 'saved.db')])).code).toBe(0);
    const modes = await modesOf(storage.home, /\.db|saved/);
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining(['waystation.db', 'waystation.db-wal', 'waystation.db-shm', 'agent.db', 'agent.db-wal']),
    );
    expect(new Set(Object.values(modes))).toEqual(new Set([0o600]));
    await runner.stop();
    await server.stop();
  });
});
