import { checkpoint, completed, failed, newThreadId, started } from '../../factories/events.js';
import { runCommand } from '../../support/command.js';
import { canOpenTerminals, PseudoTerminal } from '../../support/pseudo-terminal.js';
import { listOf, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

function threads(...args: string[]) {
  return runCommand(server.storage, ['threads', ...args], { WAYSTATION_API_URL: server.process.address ?? '' });
}

describe('waystation threads', () => {
  it('lists the last changed first, with what a person looks for, and no colour in a pipe', async () => {
    const [done, broken] = [newThreadId('done'), newThreadId('broken\u202e')];
    await record(server.api, started(done), checkpoint(done, 4), completed(done));
    await record(server.api, started(broken, { agent_id: 'refunds' }), failed(broken));
    const { code, stdout } = await threads();
    expect(code).toBe(0);
    const [heading, first, second] = stdout.split('\n');
    expect(heading).toMatch(/^THREAD +STATUS +AGENT +STEP +COST +CHANGED$/);
    expect(first).toMatch(/^broken.+ error +refunds +\d+ +\$\S+ +\d+[smhd] ago$/);
    expect(second).toMatch(new RegExp(`^${done} +completed +support +4 +\\$0\\.05 +\\d+[smhd] ago$`));
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it('filters as the API does, and prints the items as JSON lines', async () => {
    const ids = Array.from({ length: 3 }, () => newThreadId('filtered'));
    await record(server.api, ...ids.map((id) => checkpoint(id, 0)), failed(ids[0]!));
    const { stdout } = await threads(
      '--search',
      'FILTERED-',
      '--status',
      'in_progress',
      'idle',
      '--since',
      '1h',
      '--json',
    );
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const { items } = await listOf(server.api, { q: 'filtered-', status: 'in_progress' });
    expect(lines).toEqual(items);
    expect((await threads('--search', 'filtered-', '--limit', '2', '--json')).stdout.trim().split('\n')).toHaveLength(
      2,
    );
    const none = await threads('--agent', 'nobody');
    expect([none.code, none.stdout, none.stderr]).toEqual([
      0,
      '',
      'No threads match. Without filters: npx waystation threads\n',
    ]);
  });

  it.each([30, 60, 120])('fits a terminal of %i columns, with the status in colour', async (columns) => {
    if (!canOpenTerminals()) return;
    const threadId = newThreadId('a-thread-with-a-long-name');
    await record(server.api, started(threadId), failed(threadId));
    const terminal = PseudoTerminal.open(server.storage, ['threads', '--search', threadId], {
      columns,
      env: { WAYSTATION_API_URL: server.process.address ?? '' },
    });
    expect(await terminal.end()).toBe(0);
    expect(terminal.text).toContain(threadId.slice(0, 8));
    if (columns > 30) {
      expect(Math.max(...terminal.text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(columns);
      expect(terminal.screen).toContain('\u001b[31merror');
    }
  });

  it('names what is wrong with its options', async () => {
    expect(await threads('--limit', '0')).toMatchObject({ code: 2, stderr: expect.stringContaining('from 1') });
    expect(await threads('--since', 'someday')).toMatchObject({ code: 2, stderr: expect.stringContaining('since') });
  });
});
