import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { serverEnvironment } from '../../bench/support/environment.mjs';
import { until } from './until.mjs';

/** Printed once it listens. */
const LISTENS = / health +http/;
const COMMAND = path.resolve(import.meta.dirname, '../../dist/cli.js');

/** `waystation agent` as a separate process whose state outlives it. */
export class AgentProcess {
  #child;

  /**
   * @param {import('./stage.mjs').Stage} stage
   * @param {{name: string, file: string, apiUrl: string, env?: Record<string, string>}} options `name` of the state, which is reused
   * @returns {Promise<AgentProcess>} once it listens
   */
  static async start(stage, { name, file, apiUrl, env }) {
    const agents = new AgentProcess();
    agents.stateDir = path.join(stage.folder, name);
    agents.logFile = path.join(stage.folder, `${name}.log`);
    mkdirSync(agents.stateDir, { recursive: true, mode: 0o700 });
    const log = openSync(agents.logFile, 'a');
    const before = linesWith(agents.logFile, LISTENS);
    const own = { WAYSTATION_API_URL: apiUrl, WAYSTATION_STATE_DIR: agents.stateDir, WAYSTATION_AGENT_PORT: '0' };
    const level = { WAYSTATION_LOG_LEVEL: 'warn', WAYSTATION_HOME: stage.home };
    agents.#child = spawn(process.execPath, [COMMAND, 'agent', file], {
      env: serverEnvironment({ ...level, ...own, ...env }),
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    const forget = stage.cleanup.track(agents.pid);
    agents.#child.once('exit', forget);
    await until('the agent process to listen', () => {
      if (agents.#child.exitCode !== null)
        throw new Error(`it ended: ${readFileSync(agents.logFile, 'utf8').slice(-2000)}`);
      return linesWith(agents.logFile, LISTENS) > before;
    });
    return agents;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Pids of its running programs. @returns {number[]} */
  programs() {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === this.pid);
  }

  /** @param {NodeJS.Signals} name */
  signal(name) {
    process.kill(this.pid, name);
  }

  /** kill -9. */
  kill() {
    return this.#end('SIGKILL');
  }

  stop() {
    return this.#end('SIGTERM');
  }

  async #end(signal) {
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }
}

function linesWith(file, pattern) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => pattern.test(line)).length;
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
