import type { ApiClient } from '../../support/api-client.js';
import { runCommand } from '../../support/command.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

interface Made {
  id: string;
  token: string;
}

const make = async (api: ApiClient) => (await api.post('/v1/tokens', { scope: 'admin', name: 'hidden' })).json<Made>();

/** A token, one that it created, and one that this one created. */
async function family(): Promise<[Made, Made, Made]> {
  const top = await make(server.api);
  const middle = await make(server.api.as(top.token));
  return [top, middle, await make(server.api.as(middle.token))];
}

const env = () => ({ WAYSTATION_API_URL: server.api.baseUrl });
const waystation = (...args: string[]) => runCommand(server.storage, args, env());
const statusOf = async ({ token }: Made) => (await server.api.as(token).get('/threads')).status;

describe('A token that has made others', () => {
  it('is revoked alone where nobody is asked, and the others are named', async () => {
    const [top, ...made] = await family();
    expect((await waystation('token', 'list')).stdout).toMatch(/MADE BY/);
    const { code, stdout, stderr } = await waystation('token', 'revoke', top.id);
    expect([code, stdout]).toEqual([0, `revoked  ${top.id}\n`]);
    for (const one of made) {
      expect(stderr).toContain(`${one.id}  admin  hidden`);
      expect(await statusOf(one)).toBe(200);
    }
  });

  it('takes them with it where that is asked for', async () => {
    const all = await family();
    const { stdout, stderr } = await waystation('token', 'revoke', all[0].id, '--with-children');
    for (const one of all) {
      expect(stdout).toContain(`revoked  ${one.id}\n`);
      expect(await statusOf(one)).toBe(401);
    }
    expect(stderr).toBe('');
  });

  it.each([
    ['y', 401],
    ['', 200],
  ])('has the person at the keyboard asked about them, who answers "%s"', async (answer, status) => {
    if (!canOpenTerminals()) return;
    const [top, ...made] = await family();
    const terminal = PseudoTerminal.open(server.storage, ['token', 'revoke', top.id], { env: env() });
    await terminal.until(/Revoke these, too\? \(y\/N\)/);
    terminal.type(`${answer}\r`);
    await terminal.end();
    expect(await statusOf(top)).toBe(401);
    for (const one of made) expect(await statusOf(one)).toBe(status);
  });
});
