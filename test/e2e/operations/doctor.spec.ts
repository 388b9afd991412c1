import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NoticeReceiver } from '../../fakes/notice-receiver.js';
import { completed, newThreadId, started } from '../../factories/events.js';
import { runCommand } from '../../support/command.js';
import { createNotice, noticeOf, NOTICES } from '../../support/notices.js';
import { ok, record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { changeStored, copyOfStorage, freshStorage, type TestStorage } from '../../support/storage.js';
import { fillStorage } from '../../support/varied-data.js';
import { waitFor } from '../../support/wait.js';

interface Finding {
  check: string;
  level: 'ok' | 'warning' | 'fault';
  message: string;
  remedy: string | null;
}

let original: TestStorage;
let storage: TestStorage;

beforeAll(async () => {
  original = await freshStorage();
  const server = await ServerProcess.start(original);
  await fillStorage(server.api);
  await server.stop();
});
afterAll(() => original?.dispose());
afterEach(() => storage.dispose());

/** A filled storage, or an empty one for the time before the first start. */
async function filled(): Promise<void> {
  storage = await copyOfStorage(original);
}

async function empty(): Promise<void> {
  storage = await freshStorage();
}

/** All findings of the doctor, by what was checked; each bad one must say what to do. */
async function examined(args: string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runCommand(storage, ['doctor', '--json', ...args], env);
  expect(stderr).not.toMatch(/Unexpected|\bat .*\.js:\d+/);
  const findings = JSON.parse(stdout) as Finding[];
  for (const { level, remedy } of findings) expect(remedy === null).toBe(level === 'ok');
  expect(code).toBe(findings.some(({ level }) => level === 'fault') ? 1 : 0);
  expect(stdout).not.toContain(storage.secret);
  expect(stdout).not.toMatch(/postgres:\/\//);
  return findings;
}

/** Without findings that depend on this machine's programs, which postgres-backup.spec.ts tests. */
async function troubles(...parameters: Parameters<typeof examined>): Promise<string[]> {
  const found = (await examined(...parameters)).filter(
    ({ check, level }) => level !== 'ok' && check !== 'backup-tools',
  );
  return found.map(({ level, check }) => `${level} ${check}`);
}

const change = (sql: string) => changeStored(storage, sql);

/** Names, sizes and times of all files of the home. */
async function traces(): Promise<string[]> {
  const names = await readdir(storage.home);
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(path.join(storage.home, name));
      return `${name} ${size} ${mtimeMs}`;
    }),
  );
}

describe('The doctor', () => {
  it('finds nothing wrong before the first start, and leaves no trace', async () => {
    await empty();
    const before = await traces();
    expect(await troubles()).toEqual([]);
    expect(await traces()).toEqual(before);
  });

  it('finds nothing wrong with a storage that is in use, nor with one that is not', async () => {
    await filled();
    const server = await ServerProcess.start(storage);
    expect(await troubles()).toEqual([]);
    expect((await examined()).find(({ check }) => check === 'instances')?.message).toContain(String(server.pid));
    await server.stop();
    const before = await traces();
    expect(await troubles()).toEqual([]);
    expect(await traces()).toEqual(before);
  });

  it('tells people the same in words', async () => {
    await filled();
    const { code, stdout } = await runCommand(storage, ['doctor']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ok +node[\s\S]*ok +schema/)]);
  });

  it('finds a secret and a home that others can read', async () => {
    await empty();
    await chmod(path.join(storage.home, '.api-secret'), 0o644);
    await chmod(storage.home, 0o755);
    expect(await troubles()).toEqual(['warning folder', 'fault secret']);
    await chmod(storage.home, 0o700);
    await rm(path.join(storage.home, '.api-secret'));
    expect(await troubles()).toEqual([]);
  });

  it('finds events of an agent process that the API has refused', async () => {
    await empty();
    const state = path.join(storage.home, 'agents', 'state');
    await mkdir(state, { recursive: true });
    const file = path.join(state, 'refused-events.jsonl');
    await writeFile(file, '{"code":"stale_fence"}\n');
    expect(await troubles()).toEqual(['warning refused-events']);
    await rm(file);
    expect(await troubles()).toEqual([]);
  });

  it('finds a schema that is older or newer than the program', async () => {
    await filled();
    await runCommand(storage, ['migrate', '--down']);
    expect(await troubles()).toEqual(['warning schema']);
    await change(`INSERT INTO migration (timestamp, name) VALUES (1999999999999, 'Later1999999999999')`);
    expect(await troubles()).toEqual(['fault schema']);
  });

  it('finds rows that belong nowhere, and what deletions have left', async () => {
    await filled();
    await change(`INSERT INTO seen_event (thread_pk, digest) VALUES (4711, 'x')`);
    await change(
      `INSERT INTO message (thread_pk, list, seq, body) SELECT pk, 0, next_message, '{}' FROM thread LIMIT 1`,
    );
    await change(`INSERT INTO deleted_thread (thread_pk, deleted_at) VALUES (4712, 1)`);
    expect(await troubles()).toEqual(['warning orphans', 'fault messages', 'warning remains']);
    expect(await troubles(['--quick'])).toEqual([]);
  });

  it('finds approvals that nobody lets expire, and versions that are mixed', async () => {
    await filled();
    await change(`UPDATE approval SET expires_at = 1`);
    await change(
      `INSERT INTO instance (id, host, pid, version, started_at, last_seen) VALUES ('x', 'elsewhere', 1, '9.9.9', 1, ${Date.now()})`,
    );
    expect(await troubles()).toEqual(['warning instances', 'warning approvals']);
  });

  it('finds notices that were disabled because of failures, and says why', async () => {
    await filled();
    const server = await ServerProcess.start(storage);
    const receiver = await NoticeReceiver.start();
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const { id } = await createNotice(server.api, `${receiver.url}?token=sesame`);
    const other = await createNotice(server.api, receiver.url, { name: 'Switched off by a person' });
    ok(await server.api.send('PATCH', `${NOTICES}/${other.id}`, { enabled: false }));
    const threadId = newThreadId();
    await record(server.api, started(threadId), completed(threadId));
    await waitFor('it to be disabled', async () => !(await noticeOf(server.api, id)).enabled);
    const found = (await examined()).find(({ check }) => check === 'notices');
    expect(found).toMatchObject({
      level: 'warning',
      message: 'Disabled notices: On-call (the receiver answered 410 Gone).',
    });
    expect(found!.remedy).toContain('waystation notices enable');
    ok(await server.api.send('PATCH', `${NOTICES}/${id}`, { enabled: true }));
    expect(await troubles()).toEqual([]);
    await server.stop();
    await receiver.close();
  });

  it('finds a database that is away or damaged', async () => {
    await filled();
    if (storage.databaseUrl !== null) {
      const away = { DATABASE_URL: 'postgres://nobody:hidden@127.0.0.1:9/none' };
      expect(await troubles([], away)).toEqual(['fault database']);
      return;
    }
    const bytes = await readFile(storage.sqlitePath);
    bytes.fill(0xa5, 8192, 8192 * 6);
    await writeFile(storage.sqlitePath, bytes);
    expect(await troubles()).toContainEqual(expect.stringMatching(/^fault (file|database)$/));
    await writeFile(storage.sqlitePath, 'no database '.repeat(2000));
    expect(await troubles()).toEqual(['fault database']);
  });

  it('finds more connections wanted than there are', async () => {
    await empty();
    if (storage.databaseUrl === null) return;
    expect(await troubles([], { WAYSTATION_DATABASE_POOL_SIZE: '1000' })).toEqual(['warning connections']);
  });
});
