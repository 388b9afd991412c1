import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { latestOf, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const server = useServer();

function waystation(...args: string[]): Promise<CommandResult> {
  return runCommand(server.storage, args, { WAYSTATION_API_URL: server.api.baseUrl });
}

/** Runs a shell line in which `waystation` is the built program. */
function shell(line: string): Promise<CommandResult> {
  const script = line.replaceAll('waystation', `"${process.execPath}" "${path.join(PROJECT, 'dist/cli.js')}"`);
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...server.storage.env, WAYSTATION_API_URL: server.api.baseUrl };
  const child = spawn('sh', ['-c', script], { cwd: server.storage.home, env });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  child.stdin.end();
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...output })));
}

describe('waystation export and import', () => {
  const threadId = newThreadId('carried é');
  const file = () => path.join(server.storage.home, 'thread.jsonl');

  beforeAll(async () => {
    await record(server.api, checkpoint(threadId, 0), checkpoint(threadId, 1));
  });

  it('carry a thread over a file, whose beginning of the id is enough', async () => {
    const exported = await waystation('export', threadId.slice(0, 20));
    expect(exported.code).toBe(0);
    expect(exported.stderr).toMatch(new RegExp(`^exported {2}${threadId} {2}\\d+ bytes\\n$`));
    const { text } = await server.api.get(`/v1/threads/${encodeURIComponent(threadId)}/export`);
    expect(exported.stdout).toBe(text);
    await writeFile(file(), exported.stdout);
    expect(await waystation('import', file(), '--as', 'copy')).toEqual({
      code: 0,
      stdout: 'imported  copy  1 run, 2 checkpoints, 4 messages\n',
      stderr: '',
    });
    expect(await latestOf(server.api, 'copy')).toEqual({
      ...(await latestOf(server.api, threadId)),
      thread_id: 'copy',
    });
  });

  it('carry it through a pipe', async () => {
    for (const source of ['', '-']) {
      const as = `piped${source}`;
      const { code, stdout } = await shell(
        `waystation export "${threadId}" | waystation import ${source} --json --as ${as}`,
      );
      expect([code, JSON.parse(stdout)]).toEqual([0, { thread_id: as, runs: 1, checkpoints: 2, messages: 4 }]);
    }
  });

  it('say plainly what was wrong, with exit code 1, or 2 for wrong use', async () => {
    const there = await waystation('import', file());
    expect([there.code, there.stderr]).toEqual([1, expect.stringContaining('There is a thread with this id already.')]);
    const lines = (await readFile(file(), 'utf8')).split('\n');
    await writeFile(file(), lines.slice(0, 4).join('\n'));
    const cut = await waystation('import', file(), '--as', 'cut');
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringMatching(/Line 5: The file ends here/)]);
    const absent = await waystation('import', 'no-such-file');
    expect([absent.code, absent.stderr]).toEqual([2, 'no-such-file cannot be read (ENOENT).\n']);
    expect(await waystation('import', '.')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('EISDIR') as unknown,
    });
    expect(await waystation('export', 'nobody')).toMatchObject({ code: 1, stdout: '' });
  });
});
