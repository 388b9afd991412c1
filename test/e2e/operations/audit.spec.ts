import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SCRIPT = path.resolve(import.meta.dirname, '../../../scripts/audit.mjs');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waystation-audit-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the audit with this output of npm. */
async function auditOf(report: string): Promise<{ code: unknown; stderr: string }> {
  await writeFile(path.join(folder, 'report'), report);
  await writeFile(path.join(folder, 'npm'), `#!/bin/sh\ncat '${folder}/report'\nexit 1\n`);
  await chmod(path.join(folder, 'npm'), 0o755);
  const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT], { env }, (error, _stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stderr });
    });
  });
}

describe('The audit of the packages that ship', () => {
  it.each([
    ['says nothing', '', 'no report'],
    ['is away', '{"message":"request to https://registry.example failed","error":{"summary":""}}', 'request to'],
    ['prints no JSON', 'npm error audit endpoint returned an error', 'no report'],
    ['answers something else', 'null', 'no report'],
  ])('does not pass where the registry %s', async (_what, report, words) => {
    expect(await auditOf(report)).toEqual({ code: 2, stderr: expect.stringContaining(words) });
  });

  it('passes where the registry knows of nothing', async () => {
    expect(await auditOf('{"vulnerabilities":{}}')).toEqual({ code: 0, stderr: '' });
  });
});
