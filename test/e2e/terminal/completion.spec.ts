import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../../support/command.js';
import { findProgram } from '../../support/find-program.js';
import { useServer } from '../../support/test-server.js';

const CLI = path.resolve(import.meta.dirname, '../../../dist/cli.js');
const server = useServer();

async function offered(words: string[], env: Record<string, string> = {}): Promise<string[]> {
  const settings = { WAYSTATION_API_URL: server.api.baseUrl, ...env };
  const { code, stdout, stderr } = await runCommand(server.storage, ['__complete', '--', ...words], settings);
  expect([code, stderr]).toEqual([0, '']);
  return stdout === '' ? [] : stdout.trimEnd().split('\n');
}
const valuesOf = async (...words: string[]) => (await offered(words)).map((line) => line.split('\t')[0]!);

describe('What may stand at the cursor', () => {
  it('is every command that the help names, and no other', async () => {
    const { stdout } = await runCommand(server.storage, ['--help']);
    const named = stdout.match(/^ {2}[a-z][a-z-]+/gm)!.map((line) => line.trim());
    expect((await valuesOf('')).sort()).toEqual(named.sort());
    expect(await valuesOf('app')).toEqual(['approvals', 'approve']);
    expect(await valuesOf('token', '')).toEqual(['create', 'list', 'revoke', 'help']);
  });

  it('are options that are not given yet, and choices', async () => {
    const options = await valuesOf('approvals', '--agent', 'x', '--');
    expect(options).toContain('--status');
    expect(options).not.toContain('--agent');
    expect(await valuesOf('approvals', '--status', 'e')).toEqual(['expired']);
    expect(await valuesOf('threads', '--status', 'error', 'w')).toEqual(['waiting_for_approval', 'waiting']);
    expect(await valuesOf('token', 'create', '--scope=r')).toEqual(['--scope=runner', '--scope=reader']);
    expect(await valuesOf('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  it('are files where a file is meant, and nothing where only the person knows', async () => {
    expect(await valuesOf('agent', '')).toEqual([':files']);
    expect(await valuesOf('channels', 'create', '--config-file', 'x')).toEqual([':files']);
    expect(await valuesOf('approve', '--reason', '')).toEqual([]);
    expect(await valuesOf('nonsense', 'x', '')).toEqual([]);
  });
});

const ZSH_STAND_INS = `compdef() { :; }; _describe() { print -l -- "\${values[@]}"; }; _files() { print FILES; }`;

/** Asks a shell for completions, like pressing Tab. */
const SHELLS: Record<string, { flags: string[]; ask: (words: string[]) => string }> = {
  bash: {
    flags: ['--norc', '-c'],
    ask: (words) =>
      `source <(waystation completion bash); COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}; _waystation; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  zsh: {
    flags: ['-f', '-c'],
    ask: (words) =>
      `${ZSH_STAND_INS}; source <(waystation completion zsh); words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}; _waystation`,
  },
  fish: {
    flags: ['--no-config', '-c'],
    ask: (words) => `waystation completion fish | source; complete -C ${quoted(words.join(' '))}`,
  },
};

function quoted(word: string): string {
  return `'${word}'`;
}

describe.each(Object.entries(SHELLS))('The script for %s', (name, { flags, ask }) => {
  const shell = findProgram(name, `completion in ${name}`);
  const onShell = shell === null ? it.skip : it;

  async function completed(...words: string[]): Promise<string[]> {
    const { home, env } = server.storage;
    const shim = path.join(home, 'waystation');
    await writeFile(shim, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
    await chmod(shim, 0o755);
    const { stdout, stderr } = spawnSync(shell!, [...flags, ask(['waystation', ...words])], {
      cwd: home,
      env: {
        HOME: home,
        TERM: 'dumb',
        ...env,
        PATH: `${home}:${process.env.PATH}`,
        WAYSTATION_API_URL: server.api.baseUrl,
      },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return stdout.trimEnd().split('\n');
  }

  onShell('completes commands, options, choices and files', async () => {
    expect((await completed('appro')).map(wordOf)).toEqual(['approvals', 'approve']);
    expect((await completed('token', 'create', '--sc')).map(wordOf)).toEqual(['--scope']);
    expect((await completed('approvals', '--status', 'ex')).map(wordOf)).toEqual(['expired']);
    await writeFile(path.join(server.storage.home, 'agents-of-mine.yaml'), '');
    const files = await completed('agent', 'agents-of');
    expect(files.map(wordOf)).toEqual([{ bash: '', zsh: 'FILES', fish: 'agents-of-mine.yaml' }[name]]);
  });
});

/** Shells put a word's description after a tab or a colon. */
function wordOf(line: string): string {
  return line.split(/[\t:]/)[0]!;
}
