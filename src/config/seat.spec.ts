import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSeat } from './seat.js';

describe('The command that people type', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'waystation seat '));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function cloned(): void {
    const folder = path.join(root, 'node_modules', '.bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'waystation'), '');
  }

  it('is waystation where it is installed, and npx waystation in a clone and a project', () => {
    expect(readSeat({}, root).command).toBe('waystation');
    expect(readSeat({ npm_lifecycle_event: 'npx' }, root).command).toBe('npx waystation');
    cloned();
    expect(readSeat({}, root).command).toBe('npx waystation');
  });

  it('is for other programs the built file and a Node that the shell finds, where that is this one', () => {
    const PATH = path.join(root, 'bin');
    expect(readSeat({ PATH }, root).commandAnywhere()).toEqual(['waystation']);
    cloned();
    const program = path.join(root, 'dist', 'cli.js');
    expect(readSeat({}, root).commandAnywhere()).toEqual([process.execPath, program]);
    mkdirSync(PATH);
    const name = path.join(PATH, path.basename(process.execPath));
    writeFileSync(name, '');
    expect(readSeat({ PATH }, root).commandAnywhere()).toEqual([process.execPath, program]);
    rmSync(name);
    symlinkSync(process.execPath, name);
    expect(readSeat({ PATH: `relative${path.delimiter}${PATH}` }, root).commandAnywhere()).toEqual([name, program]);
  });
});
