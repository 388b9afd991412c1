import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { channelOf, createReadyChannel, inboundOf, newBotToken, telegramOrder } from '../../support/channels.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { useServer } from '../../support/test-server.js';

const telegram = await TelegramFake.start();
const server = useServer({ env: { WAYSTATION_TELEGRAM_API_URL: telegram.url } });
afterAll(() => telegram.close());

function channels(...args: string[]): Promise<CommandResult> {
  return runCommand(server.storage, ['channels', ...args], { WAYSTATION_API_URL: server.api.baseUrl });
}

async function done(...args: string[]): Promise<CommandResult> {
  const result = await channels(...args);
  if (result.code !== 0) throw new Error(`${args.join(' ')} failed: ${result.stderr}`);
  return result;
}

async function fileWith(text: string): Promise<string> {
  const file = path.join(server.storage.home, `secret-${Math.floor(Math.random() * 1e9)}`);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

describe('waystation channels', () => {
  it('makes a channel, binds, verifies, sets up, shows, switches and removes it', async () => {
    const file = await fileWith(`${telegram.token}\n`);
    const fields = ['--field-file', `bot_token=${file}`, '--field', 'approvers=7, 8', 'transport=webhook'];
    const made = await done('create', '--type', 'telegram', '--name', 'Desk', '--session-mode', 'per_user', ...fields);
    expect(made.stdout).toMatch(/^\d{6}\n$/);
    const id = made.stderr.split(/\s+/)[0]!;
    expect(await channelOf(server.api, id)).toMatchObject({
      config: { approvers: ['7', '8'] },
      session_mode: 'per_user',
    });
    await done('bind', 'Desk', 'support', '--command', 'help');
    await done('verify', id, made.stdout.trim());
    expect((await done('setup-webhook', 'Desk', server.api.baseUrl)).stdout).toMatch(/^registered {2}http/);
    expect((await done('list')).stdout).toMatch(new RegExp(`${id}  telegram  Desk  on  +support\\*`));
    telegram.write(7, 'hello \u001b[31mred');
    await inboundOf(server.api, id, 1);
    const { stdout: log } = await done('logs', 'Desk', '--direction', 'in');
    expect(log).toContain('hello \\u001b[31mred');
    expect(JSON.parse((await done('logs', id, '--json', '--limit', '1')).stdout)).toMatchObject({ chat_id: '7' });
    await done('disable', id);
    expect((await channelOf(server.api, id)).enabled).toBe(false);
    await done('enable', id);
    expect((await done('verification-code', id)).stdout).toMatch(/^\d{6}\n$/);
    await done('unbind', id, 'support');
    await done('delete', id);
    expect((await channels('logs', id)).stderr).toContain('There is no channel');
  });

  it('takes the whole config out of a file, also for new secrets', async () => {
    const token = newBotToken();
    const first = await fileWith(JSON.stringify({ bot_token: token }));
    const id = (await done('create', '--type', 'telegram', '--name', 'x', '--config-file', first)).stderr.split(
      /\s+/,
    )[0]!;
    const second = await fileWith(JSON.stringify({ bot_token: token, approvers: ['9'] }));
    await done('config', id, '--config-file', second);
    expect((await channelOf(server.api, id)).config).toMatchObject({ approvers: ['9'] });
  });

  it('prints all of it as JSON, too, and takes the beginning of an id', async () => {
    const file = await fileWith(JSON.stringify({ bot_token: telegram.token, transport: 'webhook' }));
    const create = ['create', '--type', 'telegram', '--name', 'Json', '--config-file', file, '--json'];
    const json = async (...args: string[]) => JSON.parse((await done(...args)).stdout) as Record<string, unknown>;
    const { id, verification_code } = await json(...create);
    const brief = String(id).slice(0, -2);
    expect(await json('bind', brief, 'support', '--json')).toMatchObject({ agent_name: 'support' });
    expect(await json('verify', brief, String(verification_code), '--json')).toMatchObject({ status: 'verified' });
    expect(await json('config', brief, '--config-file', file, '--json')).toMatchObject({ id });
    expect(await json('setup-webhook', brief, server.api.baseUrl, '--json')).toMatchObject({ status: 'registered' });
    expect(await json('disable', brief, '--json')).toMatchObject({ id, enabled: false });
    expect(await json('verification-code', brief, '--json')).toMatchObject({ verification_code: expect.any(String) });
    expect(await json('unbind', brief, 'support', '--json')).toEqual({ agent_name: 'support', status: 'unbound' });
    expect(await json('delete', brief, '--json')).toEqual({ id, status: 'deleted' });
  });

  it('takes no secret as an argument, and shows none', async () => {
    const token = newBotToken();
    const create = ['create', '--type', 'telegram', '--name', 'x'];
    const refused = await channels(...create, '--field', `bot_token=${token}`);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--field-file bot_token=FILE')]);
    const broken = await channels(...create, '--config-file', await fileWith(`{"bot_token":"${token}"`));
    for (const { code, stdout, stderr } of [refused, broken]) {
      expect(code).toBe(1);
      expect(stdout + stderr).not.toContain(token.split(':')[1]);
    }
  });

  it('says what is missing where nobody can be asked', async () => {
    const result = await channels('create', '--type', 'whatsapp', '--name', 'x', '--field', 'phone_number_id=1');
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/access_token: .*\n.*app_secret: .*\n.*verify_token: /);
    expect((await channels('create', '--type', 'telegram')).stderr).toContain('--name');
    expect((await channels('create', '--type', 'pigeon')).code).toBe(2);
    expect((await channels('create', '--type', 'slack', '--name', 'x', '--field', 'colour=red')).stderr).toContain(
      'signing_secret',
    );
  });

  it('asks which is meant where names are alike', async () => {
    const ids = [];
    for (let i = 0; i < 2; i++) ids.push((await createReadyChannel(server.api, telegramOrder({ name: 'Twin' }))).id);
    const { code, stderr } = await channels('disable', 'Twin');
    expect(code).toBe(2);
    for (const id of ids) expect(stderr).toContain(id);
  });
});
