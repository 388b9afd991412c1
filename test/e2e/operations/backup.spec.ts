import { copyFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { CrashLoad } from '../../support/crash-load.js';
import { record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { changeStored, copyOfStorage, freshStorage, type TestStorage } from '../../support/storage.js';
import { contentsOf, signedInTo } from '../../support/table-contents.js';
import { fillStorage, snapshotsOf } from '../../support/varied-data.js';
import { waitFor } from '../../support/wait.js';

interface BackedUp {
  storage: TestStorage;
  file: string;
  ids: string[];
  snapshots: unknown[];
}

let original: BackedUp;
let storages: TestStorage[] = [];

beforeAll(async () => {
  const storage = await freshStorage();
  const server = await ServerProcess.start(storage);
  const ids = await fillStorage(server.api);
  const snapshots = await snapshotsOf(server.api, ids);
  const file = path.join(storage.home, 'backup');
  done(await runCommand(storage, ['backup', file]));
  await server.stop();
  original = { storage, file, ids, snapshots };
});
afterAll(() => original?.storage.dispose());
afterEach(async () => {
  for (const storage of storages) await storage.dispose();
  storages = [];
});

async function newStorage(): Promise<TestStorage> {
  const storage = await freshStorage();
  storages.push(storage);
  return storage;
}

/** A filled and stopped storage, and a backup made while its server ran. */
async function backedUp(): Promise<BackedUp> {
  const storage = await copyOfStorage(original.storage);
  storages.push(storage);
  // Includes the checksum file, if there is one.
  const files = (await readdir(original.storage.home)).filter((name) => name.startsWith('backup'));
  for (const name of files) await copyFile(path.join(original.storage.home, name), path.join(storage.home, name));
  return { ...original, storage, file: path.join(storage.home, 'backup') };
}

const changeThreads = (storage: TestStorage) => changeStored(storage, 'UPDATE thread SET updated_at = updated_at + 1');

function done(result: CommandResult): CommandResult {
  if (result.code !== 0) throw new Error(`It failed with ${result.code}: ${result.stderr}`);
  return result;
}

function refused(result: CommandResult, words: RegExp): void {
  expect(result.stderr).toMatch(words);
  expect(result.stderr).not.toMatch(/Unexpected|\bat .*\.js:\d+/);
  expect(result.code).toBe(1);
}

/** Restores with the secret of the backup's storage. */
const withSecretOf = ({ home }: TestStorage) => ({ WAYSTATION_SECRET_FILE: path.join(home, '.api-secret') });

describe('A backup', () => {
  it('that fails leaves the one that it would have replaced as it was, with its checksum', async () => {
    const { storage, file } = await backedUp();
    const filesOf = async () => (await readdir(storage.home)).filter((name) => name.startsWith('backup')).sort();
    const before = await filesOf();
    const absent = { WAYSTATION_SQLITE_PATH: path.join(storage.home, 'absent.db') };
    const { code } = await runCommand(storage, ['backup', '--force', file], absent);
    expect(code).not.toBe(0);
    expect(await filesOf()).toEqual(before);
    done(await runCommand(storage, ['restore', '--force', file]));
  });

  it('made while the server runs gives back everything, exactly', async () => {
    const { storage, file, ids, snapshots } = await backedUp();
    expect((await stat(original.file)).mode & 0o777).toBe(0o600);
    const other = await newStorage();
    const restored = done(await runCommand(other, ['restore', file], withSecretOf(storage)));
    expect(restored.stdout).toContain('restored');
    expect(await contentsOf(other)).toEqual(await contentsOf(storage));
    expect([await signedInTo(storage), await signedInTo(other)]).toEqual([
      [1, 1],
      [0, 0],
    ]);
    const server = await ServerProcess.start({ ...other, secret: storage.secret }, { env: withSecretOf(storage) });
    expect(await snapshotsOf(server.api, ids)).toEqual(snapshots);
    await record(server.api, checkpoint(newThreadId(), 0), checkpoint(ids[1]!, 5));
    await server.stop();
  });

  it('is one moment of a storage that is being written, and disturbs nobody', async () => {
    const storage = await newStorage();
    const server = await ServerProcess.start(storage);
    const load = new CrashLoad();
    const stopped = load.run(server.api, 'busy');
    await waitFor('a start', () => load.acknowledgedIn('busy') > 100);
    const file = path.join(storage.home, 'backup');
    done(await runCommand(storage, ['backup', file]));
    const atBackup = load.acknowledgedIn('busy');
    await waitFor('more', () => load.acknowledgedIn('busy') > atBackup + 20);
    await server.kill();
    await stopped;
    expect(load.refusals).toEqual([]);
    const other = await newStorage();
    done(await runCommand(other, ['restore', file], withSecretOf(storage)));
    const { thread, checkpoint: rows } = await contentsOf(other);
    expect(thread).toHaveLength(8);
    const survivor = await ServerProcess.start({ ...other, secret: storage.secret }, { env: withSecretOf(storage) });
    for (let writer = 0; writer < 8; writer++) {
      const { items } = (await survivor.api.get(`/threads/busy-${writer}/checkpoints`)).json<{
        items: { step_index: number }[];
      }>();
      expect(items.map(({ step_index }) => step_index)).toEqual(items.map((_, step) => step));
    }
    expect(rows!.length).toBeLessThanOrEqual(atBackup + 8);
    await survivor.stop();
  });

  it('overwrites nothing unless it is told to, and leaves nothing behind when it fails', async () => {
    const { storage, file } = await backedUp();
    await writeFile(file, 'precious');
    refused(await runCommand(storage, ['backup', file]), /already exists/);
    expect(await readFile(file, 'utf8')).toBe('precious');
    done(await runCommand(storage, ['backup', '--force', file]));
    refused(await runCommand(storage, ['backup', path.join(file, 'below')]), /./);
    expect((await readdir(storage.home)).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('never replaces the database itself, which servers would go on writing to', async () => {
    const { storage } = await backedUp();
    const before = await stat(storage.sqlitePath);
    for (const force of [[], ['--force']]) {
      refused(
        await runCommand(storage, ['backup', ...force, storage.sqlitePath]),
        /is the database itself\. Nothing was changed/,
      );
    }
    expect((await stat(storage.sqlitePath)).ino).toBe(before.ino);
  });

  it('says that the machine secret is not in it, and it is not', async () => {
    const { storage, file } = await backedUp();
    const { stderr } = done(await runCommand(storage, ['backup', '--force', file]));
    expect(stderr).toContain('.api-secret');
    expect(await readFile(file, 'latin1')).not.toContain(storage.secret);
  });
});

describe('A restore', () => {
  it('is refused while a server uses the storage', async () => {
    const { storage, file } = await backedUp();
    const server = await ServerProcess.start(storage);
    const before = await contentsOf(storage);
    refused(await runCommand(storage, ['restore', '--force', file]), /in use|serving/);
    expect(await contentsOf(storage)).toEqual(before);
    await server.stop();
  });

  it('is refused where something is stored already, unless it is told to replace it', async () => {
    const { storage, file } = await backedUp();
    const atBackup = await contentsOf(storage);
    await changeThreads(storage);
    const later = await contentsOf(storage);
    refused(await runCommand(storage, ['restore', file]), /not empty/);
    expect(await contentsOf(storage)).toEqual(later);
    done(await runCommand(storage, ['restore', '--force', file]));
    expect(await contentsOf(storage)).toEqual(atBackup);
  });

  it('of a damaged or foreign file changes nothing', async () => {
    const { storage, file } = await backedUp();
    const before = await contentsOf(storage);
    const good = await readFile(file);
    const attempt = async (words: RegExp) => {
      refused(await runCommand(storage, ['restore', '--force', file]), words);
      expect(await contentsOf(storage)).toEqual(before);
    };
    for (const part of [0.3, 0.6, 0.99]) {
      await writeFile(file, good);
      await truncate(file, Math.floor(good.length * part));
      await attempt(/cannot be used/);
    }
    const flipped = Buffer.from(good);
    flipped.fill(0xff, Math.floor(good.length / 2), Math.floor(good.length / 2) + 200);
    await writeFile(file, flipped);
    await attempt(/cannot be used/);
    const letter = Buffer.from(good);
    letter.writeUInt8(letter.readUInt8(letter.length - 100) ^ 1, letter.length - 100);
    await writeFile(file, letter);
    await attempt(/cannot be used/);
    await writeFile(file, 'no backup at all');
    await attempt(/not a backup/);
    refused(await runCommand(storage, ['restore', `${file}-absent`]), /no file/);
  });

  it('that is killed leaves the old storage or the new one, whole', async () => {
    const { storage, file: first } = await backedUp();
    const second = path.join(storage.home, 'second');
    await changeThreads(storage);
    done(await runCommand(storage, ['backup', second]));
    const contents = [await contentsOf(storage)];
    const startedMs = Date.now();
    done(await runCommand(storage, ['restore', '--force', first]));
    const tookMs = Date.now() - startedMs;
    contents.push(await contentsOf(storage));
    let kills = 0;
    let killAfterMs = 0.5 * tookMs;
    for (let round = 0; round < 4 || (kills === 0 && round < 12); round++) {
      const file = round % 2 === 0 ? second : first;
      const { code } = await runCommand(storage, ['restore', '--force', file], {}, { killAfterMs });
      expect(contents).toContainEqual(await contentsOf(storage));
      if (code === null) kills += 1;
      // Close to the end of the work, however busy the machine is now.
      killAfterMs *= code === null ? 1.2 : 0.7;
    }
    expect(kills).toBeGreaterThan(0);
    done(await runCommand(storage, ['restore', '--force', second]));
    expect(await contentsOf(storage)).toEqual(contents[0]);
  });

  it('of a backup that a newer version has made is refused', async () => {
    const { storage } = await backedUp();
    const newer = path.join(storage.home, 'newer');
    const sql = `INSERT INTO migration (timestamp, name) VALUES (1999999999999, 'Later1999999999999')`;
    await changeStored(storage, sql);
    done(await runCommand(storage, ['backup', newer]));
    refused(await runCommand(await newStorage(), ['restore', newer]), /newer version/);
  });

  it('of an older backup brings the schema up to date', async () => {
    const { storage, file } = await backedUp();
    done(await runCommand(storage, ['migrate', '--down']));
    done(await runCommand(storage, ['backup', '--force', file]));
    const other = await newStorage();
    expect(done(await runCommand(other, ['restore', file])).stdout).toMatch(/applied {2}\w+\d{13}/);
    const server = await ServerProcess.start({ ...other, secret: storage.secret }, { env: withSecretOf(storage) });
    await fillStorage(server.api, 1);
    await server.stop();
  });
});
