import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrateUp } from './migrator.js';
import { openingFault } from './opening-fault.js';

describe('A SQLite file that cannot be opened', () => {
  it('and is damaged is named, with the way to restore it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'waystation-test-'));
    const sqlitePath = path.join(folder, 'waystation.db');
    await writeFile(sqlitePath, 'rubbish '.repeat(2000));
    const failure = await migrateUp({ url: null, sqlitePath }).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'storage_corrupt', message: expect.stringContaining(`${sqlitePath}-wal`) });
    expect((failure as Error).message).toMatch(/restore a backup/);
    await rm(folder, { recursive: true });
  });

  it.each([
    ['SQLITE_READONLY', 'storage_read_only', /can only be read/],
    ['SQLITE_CANTOPEN', 'storage_unavailable', /cannot be opened/],
    ['EACCES', 'storage_unavailable', /cannot be opened/],
    ['ENOSPC', 'storage_full', /no space left/],
    ['SQLITE_FULL', 'storage_full', /no space left/],
    ['SQLITE_BUSY', 'storage_in_use', /holds the lock/],
  ])('for %s is named, with what is wrong', (driverCode, code, message) => {
    const wrapped = Object.assign(new Error('query failed'), { driverError: { code: driverCode } });
    const fault = openingFault(wrapped, '/data/waystation.db');
    expect(fault).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((fault as Error).message).toContain('/data/waystation.db');
  });

  it('for another reason keeps its own words', () => {
    const error = new Error('something else');
    expect(openingFault(error, '/data/waystation.db')).toBe(error);
  });
});
