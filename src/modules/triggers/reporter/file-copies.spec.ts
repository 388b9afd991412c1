import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FileCopies, FileRefused } from './file-copies.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let home: string;
let run: string;
let copies: FileCopies;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'copies-'));
  run = path.join(home, 'run');
  mkdirSync(run);
  writeFileSync(path.join(home, 'secret'), 'secret');
  copies = new FileCopies(path.join(home, 'attachments'));
});
afterEach(() => rmSync(home, { recursive: true }));

const kept = () => readdirSync(path.join(home, 'attachments'));

describe('A file that a program attaches', () => {
  it('is copied under its SHA-256, for this user alone', async () => {
    writeFileSync(path.join(run, 'chart.png'), 'chart');
    expect(await copies.take(run, 'chart.png')).toEqual({ digest: sha256('chart'), sizeBytes: 5 });
    expect(kept()).toEqual([sha256('chart')]);
    const folder = path.join(home, 'attachments');
    expect([folder, path.join(folder, sha256('chart'))].map((file) => statSync(file).mode & 0o777)).toEqual([
      0o700, 0o600,
    ]);
  });

  it.each([
    ['another folder', () => '../secret'],
    ['an absolute path', () => path.join(home, 'secret')],
    ['its own absolute path', () => path.join(run, 'chart.png')],
    ['a path of the system', () => '/proc/self/environ'],
    ['a folder below', () => 'below/chart.png'],
    ['a path of Windows', () => '..\\secret'],
    ['an address', () => 'file:///etc/passwd'],
    ['an end in the middle', () => 'chart.png\0.txt'],
    ['nothing', () => ''],
    ['its folder', () => '.'],
    ['the folder above', () => '..'],
    ['what is not there', () => 'other.png'],
    ['a name without end', () => 'x'.repeat(5_000)],
  ])('is not %s', async (_, name) => {
    writeFileSync(path.join(run, 'chart.png'), 'chart');
    await expect(copies.take(run, name())).rejects.toThrow(FileRefused);
  });

  it.each([
    ['a link', (file: string) => symlinkSync(path.join(home, 'secret'), file)],
    ['a second name of a file', (file: string) => linkSync(path.join(home, 'secret'), file)],
    ['a pipe', (file: string) => void execFileSync('mkfifo', [file])],
    ['a folder', (file: string) => void mkdirSync(file)],
    ['empty', (file: string) => writeFileSync(file, '')],
  ])('is not %s', async (_, make) => {
    make(path.join(run, 'chart.png'));
    await expect(copies.take(run, 'chart.png')).rejects.toThrow(FileRefused);
  });

  it('comes from the folder of the run, not from what was put in its place', async () => {
    rmSync(run, { recursive: true });
    symlinkSync(home, run);
    await expect(copies.take(run, 'secret')).rejects.toThrow(FileRefused);
  });

  it('has 50 MiB at most, and leaves nothing where it has more', async () => {
    writeFileSync(path.join(run, 'large'), '');
    truncateSync(path.join(run, 'large'), 50 * 1024 * 1024 + 1);
    await expect(copies.take(run, 'large')).rejects.toThrow('it is larger than 52428800 bytes');
  });

  it('is kept while its event is still to be written down, or waits', async () => {
    writeFileSync(path.join(run, 'a'), 'chart');
    const copy = await copies.take(run, 'a');
    const needing = (...digests: string[]) => Promise.resolve(new Set(digests));
    await copies.removeUnneeded(() => needing(), [copy.digest]);
    expect(kept()).toEqual([copy.digest]);
    copies.release(copy);
    await copies.removeUnneeded(() => needing(copy.digest));
    expect(kept()).toEqual([copy.digest]);
    writeFileSync(path.join(home, 'attachments', 'x.part'), 'half');
    await copies.removeUnneeded(() => needing());
    expect(kept()).toEqual([]);
  });

  it('is kept where its event was written down after somebody asked which ones are needed', async () => {
    writeFileSync(path.join(run, 'a'), 'chart');
    copies.release(await copies.take(run, 'a'));
    const digest = sha256('chart');
    const askedBefore = async () => {
      const again = await copies.take(run, 'a');
      copies.release(again);
      return new Set<string>();
    };
    await copies.removeUnneeded(askedBefore, [digest]);
    expect(kept()).toEqual([digest]);
    await copies.removeUnneeded(() => Promise.resolve(new Set()));
    expect(kept()).toEqual([]);
  });
});
