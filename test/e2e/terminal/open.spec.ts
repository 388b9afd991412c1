import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tunnelCommand } from '../../../src/cli/console-link.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { ConsoleVisitor } from '../../support/console-visitor.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { freshStorage } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const onTerminal = canOpenTerminals() ? describe : describe.skip;
const SSH = { SSH_CONNECTION: '10.0.0.9 50000 192.0.2.7 2222', SSH_TTY: '/dev/pts/1' };

/** Replaces the program that opens browsers; records its arguments. */
let bin: string;
beforeAll(async () => {
  bin = path.join(server.storage.home, 'bin');
  await mkdir(bin);
  await putOpener('exit 0');
});

async function putOpener(end: string): Promise<void> {
  const file = path.join(bin, 'xdg-open');
  await writeFile(file, `#!/bin/sh\necho "$*" > "${bin}/opened"\n${end}\n`);
  await chmod(file, 0o755);
}

/** The opener's argument. */
async function argument(): Promise<string | null> {
  const text = await readFile(path.join(bin, 'opened'), 'utf8').catch(() => null);
  await rm(path.join(bin, 'opened'), { force: true });
  return text?.trim() ?? null;
}

/** Where the opened page leads. */
async function opened(): Promise<string | null> {
  const file = await argument();
  if (file === null) return null;
  return /content="0;url=([^"]*)"/.exec(await readFile(fileURLToPath(file), 'utf8'))?.[1] ?? '';
}

function open(args: string[] = [], env: Record<string, string> = {}): Promise<CommandResult> {
  return runCommand(server.storage, ['open', ...args], {
    PATH: `${bin}${path.delimiter}${process.env.PATH}`,
    DISPLAY: ':0',
    ...env,
  });
}

const codeIn = (link: string | null) => /^[^#]*\/console\/#code=([\w-]{43})$/.exec(link ?? '')?.[1] ?? '';
const signIn = (link: string | null) => ConsoleVisitor.signInWith(server.api, codeIn(link));

describe('waystation open', () => {
  it('opens the console of the running server, signed in, and shows nobody the code', async () => {
    const { code, stdout, stderr } = await open();
    const link = await opened();
    expect(link).toMatch(new RegExp(`^${server.api.baseUrl}/console/#`));
    expect([code, stdout]).toEqual([0, `The console opens in your browser: ${server.api.baseUrl}/console/\n`]);
    expect(stderr).toBe('If nothing appears there, get a link: npx waystation open --print\n');
    expect((await signIn(link)).session).toMatchObject({ scope: 'admin', name: os.userInfo().username });
  });

  it('passes the code through a file that only this user can read, not through the arguments, which all users see', async () => {
    await open();
    const file = (await argument()) ?? '';
    expect(file).toMatch(/^file:\/\/\/[^#]*\/run\/open-[0-9a-f]{16}\.html$/);
    expect((await stat(fileURLToPath(file))).mode & 0o777).toBe(0o600);
    const before = new Date(Date.now() - 61_000);
    await utimes(fileURLToPath(file), before, before);
    await open();
    const { base, dir } = path.parse(fileURLToPath((await argument()) ?? ''));
    const names = (await readdir(dir)).filter((name) => name.startsWith('open-'));
    expect(names).toContain(base);
    expect(names).not.toContain(path.basename(file));
  });

  it('signs in with the scope and name that are asked for', async () => {
    await open(['--scope', 'reader', '--name', 'Ada']);
    expect((await signIn(await opened())).session).toMatchObject({ scope: 'reader', name: 'Ada' });
  });

  it('is no more than its token, whose name it then has', async () => {
    const made = await server.api.post('/v1/tokens', { scope: 'approver', name: 'night shift' });
    const env = { WAYSTATION_TOKEN: made.json<{ token: string }>().token };
    await open([], env);
    expect((await signIn(await opened())).session).toMatchObject({ scope: 'approver', name: 'night shift' });
    const refused = await open(['--scope', 'admin'], env);
    expect([refused.code, refused.stdout, await opened()]).toEqual([1, '', null]);
    expect(refused.stderr).toContain('A token of scope approver may not open the console with scope admin.');
    expect((await open(['--scope', 'runner'])).code).toBe(2);
  });

  it('prints the link alone where that is asked for, for ten minutes', async () => {
    const { code, stdout, stderr } = await open(['--print']);
    expect([code, await opened()]).toEqual([0, null]);
    expect(stderr).toMatch(/^Open this link by .*; it works once:\n$/);
    expect(await signIn(stdout.trim())).toBeDefined();
    const { url, expires_at } = JSON.parse((await open(['--json'])).stdout) as { url: string; expires_at: string };
    expect(codeIn(url)).not.toBe('');
    const seconds = (Date.parse(expires_at) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(500);
    expect(seconds).toBeLessThanOrEqual(600);
  });

  it('prints it over SSH, even with a forwarded display, with the tunnel that reaches it', async () => {
    const { stdout, stderr } = await open([], SSH);
    expect(await opened()).toBeNull();
    const { port } = new URL(server.api.baseUrl);
    const user = os.userInfo().username;
    expect(stderr).toContain(`\n  ssh -L ${port}:127.0.0.1:${port} -p 2222 ${user}@192.0.2.7\n`);
    await signIn(stdout.trim());
  });

  it('prints it without a display, with the name of this machine', async () => {
    const { stdout, stderr } = await open([], { DISPLAY: '', WAYLAND_DISPLAY: '' });
    expect([await opened(), codeIn(stdout.trim())]).toEqual([null, expect.stringMatching(/./)]);
    if (tunnelCommand(server.api.baseUrl, null) === null) expect(stderr).not.toContain('ssh');
    else expect(stderr).toMatch(new RegExp(`ssh -L \\d+:127.0.0.1:\\d+ .*${os.hostname()}\n`));
    expect(tunnelCommand(server.api.baseUrl, null, '1e876b4faefe')).toBeNull();
  });

  it('prints it where no browser can be opened', async () => {
    await putOpener('exit 3');
    const failed = await open();
    expect(failed.stderr).toMatch(/^No browser could be opened\.\nOpen this link by/);
    const [tried, printed] = [await opened(), failed.stdout.trim()];
    expect(codeIn(tried)).not.toBe(codeIn(printed));
    await signIn(printed);
    await rm(path.join(bin, 'xdg-open'));
    const missing = await open([], { PATH: bin });
    await putOpener('exit 0');
    expect(missing.stderr).toContain('No browser could be opened.');
    await signIn(missing.stdout.trim());
  });

  it('uses the public address, else that of the API, else that of the server of this home', async () => {
    const api = { WAYSTATION_API_URL: server.api.baseUrl.replace('127.0.0.1', 'localhost') };
    const all = { ...api, WAYSTATION_PUBLIC_URL: 'https://waystation.example/', ...SSH };
    const shown = await open([], all);
    expect(shown.stdout).toMatch(/^https:\/\/waystation\.example\/console\/#code=/);
    expect(shown.stderr).not.toContain('ssh -L');
    expect((await open(['--print'], api)).stdout).toMatch(/^http:\/\/localhost:\d+\/console\/#code=/);
    expect((await open(['--print'])).stdout).toContain(`${server.api.baseUrl}/console/#code=`);
  });

  it('says what to do where no server runs', async () => {
    const { code, stderr } = await open([], { WAYSTATION_API_URL: 'http://127.0.0.1:9' });
    expect([code, await opened()]).toEqual([1, null]);
    expect(stderr).toContain('No API server answers at http://127.0.0.1:9. Start one with `npx waystation serve`');
  });
});

describe('waystation serve', () => {
  it('prints no code into a log', () => {
    expect(server.process.printed).toContain(
      `  console   ${server.api.baseUrl}/console/ (sign in with: npx waystation open)\n`,
    );
    expect(server.process.printed).not.toContain('#code');
  });
});

onTerminal('waystation serve on a terminal', () => {
  it('shows a link that signs in once', async () => {
    const storage = await freshStorage();
    const terminal = PseudoTerminal.open(storage, ['serve', '--port', '0'], { columns: 200 });
    try {
      await terminal.until(/later: npx waystation open/);
      // The first start lists no migrations, and nobody has sent a request.
      expect(terminal.text).toMatch(/schema created migrations=\d+\n/);
      expect(terminal.text).not.toMatch(/\/v1\/|docs +http\S+[^]*\d\d:\d\d:\d\d [^]*console +http/);
      const [link = '', url = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/console\/#code=[\w-]{43}/.exec(terminal.text) ?? [];
      const answer = await fetch(`${url}/v1/console/sessions`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/json' },
        body: JSON.stringify({ code: codeIn(link) }),
      });
      expect(answer.status).toBe(201);
      await terminal.until(/^\d\d:\d\d:\d\d POST \/v1\/console\/sessions 201 \d+ ms\n/m);
      expect((await fetch(`${url}/v1/threads`, { method: 'POST' })).status).toBe(404);
      await terminal.until(/^\d\d:\d\d:\d\d POST \/v1\/threads 404 \d+ ms \w+\n/m);
      terminal.type('\u0003');
      await terminal.end();
    } finally {
      terminal.kill();
      await storage.dispose();
    }
  });
});
