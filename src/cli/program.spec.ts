import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { VERSION } from '../common/version.js';
import { launchContext } from '../config/env.js';
import { runCli } from './program.js';
import { table } from './table.js';

function capture() {
  const out: string[] = [];
  const err: string[] = [];
  return {
    out,
    err,
    terminal: { print: (line: string) => void out.push(line), printError: (line: string) => void err.push(line) },
  };
}

describe('The command line', () => {
  it('tells its version', async () => {
    const { out, terminal } = capture();
    expect(await runCli(['--version'], terminal)).toBe(0);
    expect(out).toEqual([VERSION]);
  });

  it('lists every command in its help, on 80 columns', async () => {
    const { out, terminal } = capture();
    expect(await runCli(['--help'], terminal)).toBe(0);
    const lines = out.join('\n').split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.filter((line) => /^[A-Z]\w+:$/.test(line))).toEqual([
      'Options:',
      'Server:',
      'Look:',
      'Act:',
      'Agents:',
      'Storage:',
      'More:',
    ]);
    expect(lines.slice(lines.indexOf('More:')).join(' ')).toMatch(/^More:\s+demo .*\s+completion .*\s+help /);
  });

  it.each([
    [['token', 'create'], `(see ${launchContext().command} token create --help)`],
    [['show'], `(see ${launchContext().command} show --help)`],
    [['--verbos'], `(see ${launchContext().command} --help)`],
  ])('names the help of the command that was misused: %j', async (args, hint) => {
    const { err, terminal } = capture();
    expect(await runCli(args, terminal)).toBe(2);
    expect(err.at(-1)).toBe(hint);
  });

  it.each([
    [['nonsense']],
    [['serve', '--port']],
    [['serve', '--port', 'x']],
    [['token', 'create', '--scope', 'king']],
    [['token', 'revoke']],
    [['token', 'create', '--scope', 'runner', '--expires-in', '30']],
  ])('ends with 2 when it is misused: %j', async (args) => {
    const { out, err, terminal } = capture();
    expect(await runCli(args, terminal)).toBe(2);
    expect(out).toEqual([]);
    expect(err.join('\n')).not.toMatch(/\n\s+at /);
  });

  it('ends with 1 and a hint when no server answers', async () => {
    const { err, terminal } = capture();
    process.env.WAYSTATION_TOKEN = 'x'.repeat(40);
    process.env.WAYSTATION_API_URL = 'http://127.0.0.1:1';
    try {
      expect(await runCli(['token', 'list'], terminal)).toBe(1);
    } finally {
      delete process.env.WAYSTATION_TOKEN;
      delete process.env.WAYSTATION_API_URL;
    }
    expect(err.join()).toContain('waystation serve');
  });

  it('prints the secret, or where it is', async () => {
    const { out, terminal } = capture();
    const home = mkdtempSync(path.join(os.tmpdir(), 'waystation-cli-'));
    process.env.WAYSTATION_HOME = home;
    try {
      expect(await runCli(['secret', '--path'], terminal)).toBe(0);
      expect(await runCli(['secret'], terminal)).toBe(0);
    } finally {
      delete process.env.WAYSTATION_HOME;
      rmSync(home, { recursive: true });
    }
    expect(out).toEqual([expect.stringMatching(/\.api-secret$/), expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });
});

describe('A table', () => {
  it('stands in columns', () => {
    expect(
      table(
        ['ID', 'NAME'],
        [
          ['1', 'x'],
          ['200', '-'],
        ],
      ),
    ).toBe('ID   NAME\n1    x\n200  -');
  });
});
