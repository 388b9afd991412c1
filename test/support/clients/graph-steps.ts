import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ApiClient } from '../api-client.js';

/** Steps of the graph that the programs `hundred-steps` run, and number of runs. */
const STEPS = 100;
const RUNS = 5;

/** How to start such a program. */
export interface StepsProgram {
  program: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Milliseconds of the fastest run. @throws Error with its output if it failed */
async function fastestOf({ program, args, cwd, env }: StepsProgram, ...more: string[]): Promise<number> {
  const child = spawn(program, [...args, ...more], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, complaints] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(complaints);
  return Math.min(...(JSON.parse(printed) as number[]));
}

/**
 * Runs the graph on the server and on the framework's own SQLite saver, and prints the ratio of their times.
 * @returns the requests per step
 */
export async function requestsOfSteps(api: ApiClient, steps: StepsProgram, file: string): Promise<number> {
  const before = await requestsOf(api);
  const ours = await fastestOf(steps, 'waystation');
  const requests = (await requestsOf(api)) - before;
  const theirs = await fastestOf(steps, 'sqlite', file).catch((error: Error) => error);
  const line =
    typeof theirs === 'number'
      ? `${STEPS} steps of a graph: ${ours} ms, with its own SQLite saver ${theirs} ms: ${(ours / theirs).toFixed(1)} times`
      : `!!! NOT COMPARED with the framework's own SQLite saver, which cannot be had: ${theirs.message.trim().split('\n').at(-1)}; ${STEPS} steps of a graph: ${ours} ms`;
  process.stderr.write(`\n${line}\n\n`);
  return requests / (STEPS * RUNS);
}

/** Requests so far, without those for the metrics. */
async function requestsOf(api: ApiClient): Promise<number> {
  const { text } = await api.get('/metrics');
  const counts = text.matchAll(/^waystation_http_requests_total\{[^}]*route="\/v1\/[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
