import { existsSync } from 'node:fs';
import { waitFor } from '../../../../test/support/wait.js';
import { startByPs, startOf } from '../../../common/process-start.js';
import { processesWith, signalGroup } from './process-group.js';
import { ProgramProcess } from './program-process.js';

/** CI installs it. */
const HAS_PS = process.env.CI !== undefined || ['/bin/ps', '/usr/bin/ps'].some((file) => existsSync(file));
const env = { PATH: process.env.PATH ?? '', SHLVL: '1' };
const start = (script: string, more: Record<string, string> = {}) =>
  ProgramProcess.start({ command: ['bash', '-c', script], workingDirectory: '/', env: { ...env, ...more } });

async function outputOf(program: ProgramProcess): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of program.output()) lines.push(...some.map(({ bytes }) => bytes.toString()));
  return lines;
}

describe('A program', () => {
  it('gets its input, and its output and end are seen', async () => {
    const program = await start('read line; echo "got $line"; echo oops >&2; exit 3');
    program.giveInput('a line');
    expect(await outputOf(program)).toEqual(['got a line']);
    expect(await program.exited).toEqual({ exitCode: 3, signal: null });
    expect(program.stderrTail).toBe('oops');
  });

  it('that cannot be started is an error with a code', async () => {
    const nothing = { command: ['/no/such/program'], workingDirectory: '/', env };
    await expect(ProgramProcess.start(nothing)).rejects.toMatchObject({ code: 'ENOENT' });
    const nowhere = { command: ['true'], workingDirectory: '/no/such/folder', env };
    await expect(ProgramProcess.start(nowhere)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('does not mind that nobody reads its input', async () => {
    const program = await start('exec <&-; exit 0');
    program.giveInput('x'.repeat(1_000_000));
    await outputOf(program);
    expect(await program.exited).toEqual({ exitCode: 0, signal: null });
  });

  it('ends with its output although something that it started holds that open', async () => {
    const program = await start('sleep 300 & echo answer');
    expect(await outputOf(program)).toEqual(['answer']);
    await waitFor('the rest of the group to go', () => !signalGroup(program.processGroup, 0));
  });

  it('ends with its output even when what holds that open has left the group, which is ended, too', async () => {
    const program = await start("setsid sh -c 'echo answer; exec sleep 30' & read line", {
      WAYSTATION_TRACE_ID: 'left-the-group',
    });
    const output = program.output();
    const { value: answer } = await output.next(); // from a process that has left the group
    expect(answer).toMatchObject([{ bytes: Buffer.from('answer') }]);
    program.giveInput('go on');
    expect(await output.next()).toMatchObject({ done: true });
    await program.cleared;
    const leftovers = processesWith('WAYSTATION_TRACE_ID', new Set(['left-the-group']));
    expect(leftovers).toEqual([]);
  });

  it('that ignores the request to stop is killed with everything that it started', async () => {
    const program = await start("trap '' TERM; (trap '' TERM; sleep 300) & echo ready; while true; do sleep 0.1; done");
    const output = program.output();
    await output.next();
    await program.stop();
    expect(await program.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
    await output.return(undefined);
    await waitFor('the group to go', () => !signalGroup(program.processGroup, 0));
  });

  it('is told from a later process with the same number', async () => {
    const [one, other] = [await start('sleep 1'), await start('sleep 1')];
    expect(one.startedAs).toBe(startOf(one.processGroup));
    expect(startOf(999_999_999)).toBeNull();
    await Promise.all([one.stop(), other.stop(), outputOf(one), outputOf(other)]);
  });

  it('is told from a later process also where only ps knows it', async () => {
    if (!HAS_PS) return process.emitWarning('Not tried: this machine has no ps, which tells where /proc is missing.');
    const program = await start('read line');
    const startedAs = startByPs(program.processGroup);
    expect(startedAs).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(startByPs(program.processGroup)).toBe(startedAs);
    await Promise.all([program.stop(), outputOf(program)]);
    expect(startByPs(program.processGroup)).toBeNull();
    expect(startByPs(999_999_999)).toBeNull();
  });
});
