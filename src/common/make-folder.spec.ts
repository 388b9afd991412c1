import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolder } from './make-folder.js';

describe('A folder that is made', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'waystation-make-folder-'));
  const at = (...parts: string[]) => path.join(root, ...parts);
  const isFolder = (name: string) => statSync(name).isDirectory();
  afterAll(() => rmSync(root, { recursive: true }));

  it('has all folders above it, with its mode, and may exist already', () => {
    for (let time = 0; time < 2; time++) makeFolder(at('a', 'b', 'c'), 0o700);
    for (const name of [at('a'), at('a', 'b'), at('a', 'b', 'c')]) expect(statSync(name).mode & 0o777).toBe(0o700);
  });

  it('may be named by a link, and by a relative name', () => {
    mkdirSync(at('real'));
    symlinkSync(at('real'), at('link'));
    makeFolder(path.relative(process.cwd(), at('link', 'below')));
    expect(isFolder(at('real', 'below'))).toBe(true);
  });

  it.each([
    ['ENOTDIR', () => at('file', 'x', 'y')],
    ['EEXIST', () => at('file')],
    ['EEXIST', () => at('dangling')],
  ])('fails with %s where a file or a dead link is in the way', (code, name) => {
    writeFileSync(at('file'), '');
    rmSync(at('dangling'), { force: true });
    symlinkSync(at('nowhere'), at('dangling'));
    expect(() => makeFolder(name())).toThrow(expect.objectContaining({ code }));
  });

  it('fails at once below a folder that refuses', () => {
    if (process.platform !== 'linux') return;
    expect(() => makeFolder('/proc/nope/run', 0o700)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
