import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readLaunchContext } from './launch-context.js';

describe('The command that people type', () => {
  let root: string;
  let TMPDIR: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'waystation context '));
    TMPDIR = path.join(root, 'tmp');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function cloned(): void {
    const folder = path.join(root, 'node_modules', '.bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'waystation'), '');
  }

  it('is waystation where it is installed, and npx waystation in a clone and a project', () => {
    expect(readLaunchContext({}, root).command).toBe('waystation');
    expect(readLaunchContext({ npm_lifecycle_event: 'npx' }, root).command).toBe('npx waystation');
    cloned();
    expect(readLaunchContext({}, root).command).toBe('npx waystation');
  });

  it('is for other programs the built file and a Node that the shell finds, where that is this one', () => {
    const PATH = path.join(root, 'bin');
    expect(readLaunchContext({ PATH }, root).commandAnywhere()).toEqual(['waystation']);
    cloned();
    const program = path.join(root, 'dist', 'cli.js');
    expect(readLaunchContext({}, root).commandAnywhere()).toEqual([process.execPath, program]);
    mkdirSync(PATH);
    const name = path.join(PATH, path.basename(process.execPath));
    writeFileSync(name, '');
    expect(readLaunchContext({ PATH }, root).commandAnywhere()).toEqual([process.execPath, program]);
    rmSync(name);
    symlinkSync(process.execPath, name);
    const env = { PATH: `relative${path.delimiter}${PATH}`, TMPDIR };
    expect(readLaunchContext(env, root).commandAnywhere()).toEqual([name, program]);
  });

  it('is for other programs no Node of a folder that the next session lacks', () => {
    cloned();
    const program = path.join(root, 'dist', 'cli.js');
    const lasting = path.join(root, 'bin');
    const passing = ['run', 'tmp/bin', 'state/fnm_multishells/71_1700000000/bin'].map((name) => path.join(root, name));
    for (const folder of [lasting, ...passing]) {
      mkdirSync(folder, { recursive: true });
      symlinkSync(process.execPath, path.join(folder, path.basename(process.execPath)));
    }
    const env = { XDG_RUNTIME_DIR: path.join(root, 'run'), TMPDIR };
    const nodeOf = (folders: string[]) =>
      readLaunchContext({ ...env, PATH: folders.join(path.delimiter) }, root).commandAnywhere();
    expect(nodeOf(passing)).toEqual([process.execPath, program]);
    const name = path.join(lasting, path.basename(process.execPath));
    expect(nodeOf([...passing, lasting])).toEqual([name, program]);
  });
});
