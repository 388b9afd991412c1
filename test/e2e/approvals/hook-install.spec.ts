import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand, type CommandResult } from '../../support/command.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';

let storage: TestStorage;
beforeEach(async () => {
  storage = await freshStorage();
  await mkdir(storage.home, { recursive: true });
});
afterEach(() => storage.dispose());

const fileOf = (name: string) => path.join(storage.home, name);

function install(platform: string, ...args: string[]): Promise<CommandResult> {
  return runCommand(storage, ['hook', platform, '--install', ...args], { HOME: storage.home });
}

interface Settings extends Record<string, unknown> {
  hooks: Record<string, { hooks: { command: string }[] }[]>;
}

describe('waystation hook --install', () => {
  it.each([
    ['claude', '.claude/settings.json'],
    ['codex', '.codex/hooks.json'],
  ])('writes the settings of %s that it prints, once', async (platform, name) => {
    const { code, stdout } = await install(platform, '--yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Changed ${fileOf(name)}\n`)]);
    const text = await readFile(fileOf(name), 'utf8');
    const printed = await runCommand(storage, ['hook', platform], { HOME: storage.home });
    expect(JSON.parse(text)).toEqual(JSON.parse(printed.stdout));
    expect((await stat(fileOf(name))).mode & 0o777).toBe(0o600);
    expect((await install(platform, '--yes')).stdout).toBe(`${fileOf(name)} has these hooks already.\n`);
    expect(await readFile(fileOf(name), 'utf8')).toBe(text);
  });

  it.each([
    ['claude', 'CLAUDE_CONFIG_DIR', 'settings.json'],
    ['codex', 'CODEX_HOME', 'hooks.json'],
  ])('writes the settings where %s looks for them: %s', async (platform, variable, name) => {
    const env = { HOME: storage.home, [variable]: fileOf('elsewhere') };
    const { code, stdout } = await runCommand(storage, ['hook', platform, '--install', '--yes'], env);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Changed ${fileOf(`elsewhere/${name}`)}\n`)]);
  });

  it('keeps everything that is there, shows the difference, and leaves the file before beside it', async () => {
    const file = fileOf('settings.json');
    const mine = { hooks: [{ type: 'command', command: 'say done' }] };
    const before = JSON.stringify(
      { zeta: 1.5, model: 'x', hooks: { Stop: [mine] }, permissions: { allow: ['Read'] } },
      null,
      4,
    );
    await writeFile(fileOf('dotfile.json'), before);
    await symlink('dotfile.json', file);
    const { stdout } = await install('claude', '--yes', '--file', file);
    const after = JSON.parse(await readFile(file, 'utf8')) as Settings;
    expect(Object.keys(after)).toEqual(['zeta', 'model', 'hooks', 'permissions']);
    expect(after).toMatchObject({ zeta: 1.5, model: 'x', permissions: { allow: ['Read'], defaultMode: 'default' } });
    expect(after.hooks.Stop).toEqual([mine, { hooks: [expect.objectContaining({ type: 'command' })] }]);
    expect(await readFile(file, 'utf8')).toMatch(/^\{\n {4}"zeta": 1\.5,\n/);
    expect(stdout).toMatch(/^\+ .*"PermissionRequest"/m);
    expect(stdout).not.toMatch(/^[+-] .*"(zeta|model)"/m);
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    const [backup] = (await readdir(storage.home)).filter((name) => name.endsWith('.backup'));
    expect(await readFile(fileOf(backup!), 'utf8')).toBe(before);
  });

  it('creates the file that a link leads to, where none is there yet', async () => {
    const file = fileOf('settings.json');
    await symlink('dotfiles/claude.json', file);
    const { code } = await install('claude', '--yes', '--file', file);
    expect([code, (await lstat(file)).isSymbolicLink()]).toEqual([0, true]);
    expect(await readFile(fileOf('dotfiles/claude.json'), 'utf8')).toContain('PermissionRequest');
  });

  it('replaces an earlier hook of its own', async () => {
    const file = fileOf('settings.json');
    await install('claude', '--yes', '--file', file);
    await install('claude', '--yes', '--file', file, '--agent', 'laptop');
    const { hooks } = JSON.parse(await readFile(file, 'utf8')) as Settings;
    expect(hooks.PermissionRequest).toHaveLength(1);
    expect(hooks.PermissionRequest![0]!.hooks[0]!.command).toContain('--agent laptop');
  });

  it('says that another mode of permissions stays', async () => {
    const file = fileOf('settings.json');
    await writeFile(file, '{"permissions": {"defaultMode": "auto"}}');
    const { stderr } = await install('claude', '--yes', '--file', file);
    expect(stderr).toContain('Your "defaultMode": "auto" stays.');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ permissions: { defaultMode: 'auto' } });
  });

  it.each([
    ['comments', '{\n  // mine\n  "model": "x"\n}\n'],
    ['numbers that would be rounded', '{"id": 12345678901234567890}'],
    ['a name twice', '{"model": "x", "model": "y"}'],
    ['a list', '[]'],
    ['hooks of another shape', '{"hooks": []}'],
    ['an event of another shape', '{"hooks": {"Stop": "no"}}'],
    ['permissions of another shape', '{"permissions": "all"}'],
  ])('does not touch a file with %s', async (_name, text) => {
    const file = fileOf('settings.json');
    await writeFile(file, text);
    const { code, stderr } = await install('claude', '--yes', '--file', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} was not changed: `)]);
    expect(stderr).toContain('waystation hook claude prints them');
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('changes nothing that nobody has confirmed', async () => {
    const file = fileOf('settings.json');
    await writeFile(file, '{}');
    expect(await install('claude', '--file', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await readFile(file, 'utf8')).toBe('{}');
    if (!canOpenTerminals()) return;
    const ask = () => PseudoTerminal.open(storage, ['hook', 'claude', '--install', '--file', file]);
    const refused = ask();
    await refused.until(/Write this\?/);
    refused.type('\r');
    await refused.until(/Nothing was changed\./);
    await refused.end();
    expect(await readFile(file, 'utf8')).toBe('{}');
    const agreed = ask();
    await agreed.until(/Write this\?/);
    agreed.type('y\r');
    await agreed.until(/Changed /);
    await agreed.end();
    expect(await readFile(file, 'utf8')).toContain('PermissionRequest');
  });
});
