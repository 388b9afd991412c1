import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../../support/command.js';
import { useServer } from '../../support/test-server.js';

const PUBLIC_URL = 'https://waystation.example';
const OTHER_MACHINE = 'http://192.0.2.1:8000';
const server = useServer({ env: { WAYSTATION_PUBLIC_URL: PUBLIC_URL } });
const file = () => path.join(server.storage.home, '.env');

afterEach(() => rm(file(), { force: true }));

/** A command in a folder with this `.env`. */
async function inFolder(lines: readonly string[], args: readonly string[], env: Record<string, string> = {}) {
  await writeFile(file(), lines.join('\n'));
  return runCommand(server.storage, args, env);
}

describe('The .env of a folder that somebody else wrote', () => {
  it.each([
    ['a token of the environment', (): Record<string, string> => ({ WAYSTATION_TOKEN: server.api.token }), ''],
    ['the machine secret', () => ({}), ''],
    ['a file of the user', () => ({}), 'WAYSTATION_TOKEN_FILE=.api-secret'],
  ])('sends %s to no other machine', async (_what, env, line) => {
    const result = await inFolder([`WAYSTATION_API_URL=${OTHER_MACHINE}`, line], ['threads'], env());
    expect(result.stderr).toMatch(
      /^The configuration of Waystation is invalid:\n {2}WAYSTATION_TOKEN: must be .*machine/,
    );
    expect(result.code).toBe(2);
  });

  it('may name a server together with its token', async () => {
    const lines = [`WAYSTATION_API_URL=${server.api.baseUrl}`, `WAYSTATION_TOKEN=${server.api.token}`];
    expect(await inFolder(lines, ['token', 'list'])).toMatchObject({ code: 0 });
  });

  it('names no page to which a link with a code would lead', async () => {
    const lines = ['WAYSTATION_PUBLIC_URL=https://evil.example'];
    const open = ['open', '--print'];
    const given = { WAYSTATION_API_URL: server.api.baseUrl };
    expect((await inFolder(lines, open, given)).stdout).toMatch(`${server.api.baseUrl}/console/#code=`);
    const named = [...lines, `WAYSTATION_API_URL=${server.api.baseUrl}`];
    const token = { WAYSTATION_TOKEN: server.api.token };
    expect((await inFolder(named, open, token)).stdout).toMatch(`${server.api.baseUrl}/console/#code=`);
    expect((await inFolder(named, open)).stdout).toMatch(`${server.api.baseUrl}/console/#code=`);
    const whole = [...named, `WAYSTATION_TOKEN=${server.api.token}`];
    expect((await inFolder(whole, open)).stdout).toMatch('https://evil.example/console/#code=');
  });

  it('names no such page by a home directory of its own either', async () => {
    const folder = path.join(server.storage.home, 'foreign');
    await mkdir(path.join(folder, 'run'), { recursive: true });
    const record = { url: server.api.baseUrl, public_url: 'https://evil.example', pid: 1, started_at: '', version: '' };
    await writeFile(path.join(folder, 'run', 'server.json'), JSON.stringify(record));
    const token = { WAYSTATION_TOKEN: server.api.token, WAYSTATION_HOME: '' };
    const { stdout } = await inFolder([`WAYSTATION_HOME=${folder}`], ['open', '--print'], token);
    expect(stdout).not.toContain('evil');
  });
});
