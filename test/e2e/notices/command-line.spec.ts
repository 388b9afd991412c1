import { NoticeReceiver } from '../../fakes/notice-receiver.js';
import { completed, newThreadId } from '../../factories/events.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { deliveriesOf } from '../../support/notices.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();

function notices(...args: string[]): Promise<CommandResult> {
  return runCommand(server.storage, ['notices', ...args], { WAYSTATION_API_URL: server.api.baseUrl });
}

async function done(...args: string[]): Promise<CommandResult> {
  const result = await notices(...args);
  if (result.code !== 0) throw new Error(`${args.join(' ')} failed: ${result.stderr}`);
  return result;
}

describe('waystation notices', () => {
  it('creates, tests, lists, switches, renews and deletes a notice', async () => {
    const receiver = await NoticeReceiver.start();
    expect((await done('list')).stderr).toContain('notices create');
    const made = await done('create', receiver.url, '--name', 'On-call', '--events', 'run_completed', 'run_failed');
    expect(made.stdout).toMatch(/^whsec_\S{44}\n$/);
    const id = made.stderr.split(/\s+/)[0]!;
    expect((await done('test', 'On-call')).stdout).toMatch(/^delivered {2}204 {2}\d+ ms\n$/);
    const threadId = newThreadId();
    await record(server.api, completed(threadId));
    await waitFor('the news', async () => (await deliveriesOf(server.api, id))[0]?.status === 'delivered');
    expect((await done('logs', id)).stdout).toMatch(new RegExp(`run_completed  delivered  1 +${threadId}`));
    expect((await done('list')).stdout).toMatch(
      /On-call +http:\/\/127.0.0.1:\d+\/… +on +0 +all +run_completed,run_failed/,
    );
    expect((await done('disable', id)).stdout).toBe('disabled\n');
    expect(JSON.parse((await done('list', '--json')).stdout)).toMatchObject({ id, enabled: false });
    expect((await done('enable', id)).stdout).toBe('enabled\n');
    expect((await done('secret', id)).stdout).toMatch(/^whsec_/);
    await receiver.close();
    const failed = await notices('test', id);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    const [{ id: delivery }] = (await deliveriesOf(server.api, id)) as unknown as [{ id: string }];
    expect((await notices('retry', id, delivery)).stderr).toContain('Only failed and dropped');
    await done('delete', 'On-call');
    expect((await notices('logs', id)).stderr).toContain('There is no notice');
  });

  it('says what is wrong with an address', async () => {
    const refused = await notices('create', 'http://example.com/', '--events', 'run_failed');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('must begin with https://')]);
  });
});
