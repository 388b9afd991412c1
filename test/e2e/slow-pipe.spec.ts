import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { checkpoint, newThreadId } from '../factories/events.js';
import { ServerProcess } from '../support/server-process.js';
import { freshStorage, type TestStorage } from '../support/storage.js';

const PROGRAM = path.resolve(import.meta.dirname, '../../dist/cli.js');
/** A shell reads byte by byte, so the command has long finished when the first 64 KiB have been read. */
const SLOWLY = 'while read -r line; do echo "$line"; done';
const SCHEDULES = `
agents: { writer: { command: ["true"] } }
triggers:
${Array.from({ length: 4 }, () => '  - { type: schedule, cron: "* * * * *", message: tick }').join('\n')}
`;

let storage: TestStorage;

beforeAll(async () => {
  storage = await freshStorage('sqlite');
  await writeFile(path.join(storage.home, 'agents.yaml'), SCHEDULES);
});
afterAll(() => storage?.dispose());

/** The output of the pipe, and the exit code of its first command, which is last on standard error. */
async function piped(command: string, reader: string, env: Record<string, string> = {}) {
  const { PATH, HOME } = process.env;
  const line = `{ node ${PROGRAM} ${command}; echo "exit $?" >&2; } | ${reader}`;
  const shell = spawn('sh', ['-c', line], {
    cwd: storage.home,
    env: { PATH, HOME, ...storage.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')]);
  return { stdout, stderr };
}

describe('Output into a pipe', () => {
  const preview = 'agent agents.yaml --preview 1000 --json --from 2026-03-28T12:00:00Z';

  it('is complete when the reader is slow', async () => {
    const { stdout, stderr } = await piped(preview, SLOWLY);
    expect(stdout.length).toBeGreaterThan(100_000);
    const previews = JSON.parse(stdout) as { next: string[] }[];
    expect(previews.map(({ next }) => next.length)).toEqual([1000, 1000, 1000, 1000]);
    expect(stderr).toBe('exit 0\n');
  });

  it('ends the command quietly when the reader goes away', async () => {
    const { stdout, stderr } = await piped(preview, 'head -n 1');
    expect(stdout).toBe('[\n');
    expect(stderr).toBe('exit 0\n');
  });

  it('is complete when it comes from a server, too; which goes on when its own reader goes away', async () => {
    const server = await ServerProcess.start(storage, { isAlone: true });
    const call = { name: 'write_file', args: { text: 'x'.repeat(300_000) } };
    const waiting = { status: 'waiting_for_approval', pending_tool_calls: [call] };
    await server.api.post('/v1/runners/events', { events: [checkpoint(newThreadId(), 0, waiting)] });
    server.closeOutput();
    const env = { WAYSTATION_API_URL: server.api.baseUrl };
    for (const command of ['approvals --json', 'approvals']) {
      const { stdout, stderr } = await piped(command, SLOWLY, env);
      expect(stdout).toContain('x'.repeat(300_000));
      expect(stderr).toBe('exit 0\n');
    }
    expect(await server.stop()).toBe(0);
  });
});
