import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../../support/command.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';

interface Finding {
  check: string;
  level: string;
  message: string;
  remedy: string | null;
}

describe('A backup of PostgreSQL', () => {
  let storage: TestStorage;

  beforeAll(async () => {
    storage = await freshStorage();
    await (await ServerProcess.start(storage)).stop();
  });
  afterAll(() => storage.dispose());

  it.each(['backup', 'restore'])('is made with its own tools, which `%s` names', async (command) => {
    const { code, stderr } = await runCommand(storage, [command, path.join(storage.home, 'saved')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/pg_dump --format=custom .*\n.*pg_restore --clean/);
    expect(await readdir(storage.home)).not.toContain('saved');
  });

  it.each([
    ['fit the server', '99.1', 'ok', /fit the server/],
    ['are older than the server', '12.3', 'warning', /pg_dump 12 is older than the server, pg_restore 12 is/],
    ['cannot be run', null, 'warning', /pg_dump is not installed here, pg_restore is/],
  ])('can be made here or not: the doctor says whether the tools %s', async (_, version, level, message) => {
    const folder = path.join(storage.home, `tools-${version}`);
    await mkdir(folder);
    for (const tool of version === null ? [] : ['pg_dump', 'pg_restore']) {
      await writeFile(path.join(folder, tool), `#!/bin/sh\necho '${tool} (PostgreSQL) ${version}'\n`, { mode: 0o755 });
    }
    const { stdout } = await runCommand(storage, ['doctor', '--json'], { PATH: folder });
    const findings = JSON.parse(stdout) as Finding[];
    const found = findings.find(({ check }) => check === 'backup-tools')!;
    expect([found.level, found.message]).toEqual([level, expect.stringMatching(message)]);
  });
});
