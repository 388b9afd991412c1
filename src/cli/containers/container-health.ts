import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from '../cli-error.js';
import { getContainer } from './agent-containers.js';
import type { Engine } from './engine.js';

const START_MS = 60_000;
const LOOK_MS = 100;
const RESPONSE_MS = 2_000;
const LOG_LINES = '15';

export interface Started {
  engine: Engine;
  home: string;
  name: string;
  /** Port of the host that leads to its `/health`. */
  healthPort: number;
}

/**
 * Waits until the process in the container answers.
 * @throws CliError with the end of its log when it ends instead, or takes too long
 */
export async function waitUntilHealthy(started: Started): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!(await isHealthy(started.healthPort))) {
    await checkRunning(started);
    if (Date.now() > deadline) throw await failure(started, 'does not answer');
    await pause(LOOK_MS);
  }
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(RESPONSE_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** The engine restarts a container that ends, so a restart means failure. */
async function checkRunning(started: Started): Promise<void> {
  const { status, restarts } = await getContainer([started.engine], started.home, started.name);
  if (restarts > 0 || ['exited', 'dead', 'stopped', 'restarting'].includes(status))
    throw await failure(started, 'has ended');
}

async function failure({ engine, name }: Started, what: string): Promise<CliError> {
  const { stdout, stderr } = await engine.run(['logs', '--tail', LOG_LINES, name]);
  const log = `${stdout}${stderr}`.trimEnd();
  return new CliError(`The agent process in the container ${what}. The end of its log:\n${log.replace(/^/gm, '  ')}`);
}
