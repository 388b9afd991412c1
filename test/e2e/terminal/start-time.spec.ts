import { spawnSync } from 'node:child_process';
import path from 'node:path';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const CLI = path.join(PROJECT, 'dist/cli.js');
const TRIES = 3;
const REPORT = `data:text/javascript,${encodeURIComponent("process.on('exit',()=>{const{user,system}=process.cpuUsage();console.error('CPU '+(user+system))})")}`;

/** Node's minimum CPU time in microseconds; waiting for other processes does not count. */
function cpuOf(...args: string[]): number {
  const runs = Array.from({ length: TRIES }, () => {
    const { stderr } = spawnSync(process.execPath, ['--import', REPORT, ...args], { encoding: 'utf8' });
    return Number(/CPU (\d+)/.exec(stderr)![1]);
  });
  return Math.min(...runs);
}

it('The command line answers at once: it loads no more than it needs', () => {
  const nothing = cpuOf('-e', '0');
  // It takes twice as much; with the server's modules it would be six times.
  expect(cpuOf(CLI, '--help') / nothing).toBeLessThan(4);
});

it('npx finds the command in the clone', () => {
  const found = spawnSync('npx', ['waystation', '--version'], { cwd: PROJECT, encoding: 'utf8' });
  expect(found.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
