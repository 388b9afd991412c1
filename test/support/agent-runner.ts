import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Answer, ApiClient } from './api-client.js';
import { ApiClient as PlainClient } from './api-client.js';
import { spawnAlone, startHostedAgent, type Running } from './hosted-program.js';
import { detailOf } from './recording.js';
import type { TestStorage } from './storage.js';
import { waitFor } from './wait.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const ENDED = ['completed', 'error', 'budget_exceeded', 'cancelled'];

export interface RunnerOptions {
  storage: TestStorage;
  apiUrl: string;
  /** Agents' names and their entries in the definition file; each gets a webhook under its name. */
  agents: Record<string, object>;
  env?: Record<string, string>;
  /** Further arguments of `waystation agent`. */
  args?: readonly string[];
  /** Whether it gets a process of its own; default false. A stopped one must not be asked to run others. */
  isAlone?: boolean;
}

export interface StartedRun {
  threadId: string;
  runId: string;
}

/** `waystation agent` as a user starts it, with a webhook for each agent. Its state survives it. */
export class AgentRunner {
  private constructor(private readonly running: Running) {}

  static async start({ agents, ...options }: RunnerOptions): Promise<AgentRunner> {
    const folder = path.join(options.storage.home, 'agents');
    const file = path.join(folder, 'agents.json');
    const triggers = Object.keys(agents).map((name) => ({ type: 'webhook', endpoint: `/${name}`, target_agent: name }));
    await mkdir(folder, { recursive: true });
    await writeFile(file, JSON.stringify({ agents, triggers }));
    return AgentRunner.startFile(file, options);
  }

  /** The same with an existing definition file. */
  static async startFile(
    file: string,
    { storage, apiUrl, env = {}, args = [], isAlone = 'NODE_OPTIONS' in env }: Omit<RunnerOptions, 'agents'>,
  ): Promise<AgentRunner> {
    const { PATH, HOME } = process.env;
    const own = { WAYSTATION_API_URL: apiUrl, WAYSTATION_LOG_LEVEL: 'error', WAYSTATION_AGENT_PORT: '0' };
    const variables: NodeJS.ProcessEnv = { PATH, HOME, WAYSTATION_HOME: storage.home, ...own, ...env };
    const command = ['agent', file, ...args];
    const running = isAlone
      ? spawnAlone(PROJECT, variables, ['dist/cli.js', ...command])
      : await startHostedAgent(PROJECT, variables, command);
    const runner = new AgentRunner(running);
    await waitFor('the agent process to listen', () => {
      if (runner.running.code !== undefined) throw new Error(`The agent process ended: ${runner.printed}`);
      return runner.address !== undefined;
    });
    return runner;
  }

  get printed(): string {
    return this.running.printed;
  }

  get pid(): number {
    return this.running.pid;
  }

  /** Starts a run in a thread whose id the test chooses, so that the test can look for it whatever happens. */
  post(agent: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    const client = new PlainClient(this.address!, '');
    return client.post(`/${agent}`, body, { headers, token: null }).finally(() => client.close());
  }

  async launch(agent: string, threadId: string, message = 'hello'): Promise<StartedRun> {
    const answer = await this.post(agent, { message, thread_id: threadId });
    if (answer.status !== 202) throw new Error(`The run was not taken on: ${answer.status} ${answer.text}`);
    return { threadId, runId: String(answer.json().run_id) };
  }

  /** kill -9. */
  async kill(): Promise<void> {
    this.running.signal('SIGKILL');
    await this.running.ended;
  }

  async stop(): Promise<Running['code']> {
    this.running.signal('SIGTERM');
    await this.running.ended;
    return this.running.code;
  }

  private get address(): string | undefined {
    return /health +(http:\/\/127\.0\.0\.1:\d+)\/health/.exec(this.printed)?.[1];
  }
}

/** The thread once its run has ended. */
export async function endOf(api: ApiClient, threadId: string, limitMs?: number): Promise<Record<string, unknown>> {
  return waitFor(
    `the end of ${threadId}`,
    async () => {
      const detail = await detailOf(api, threadId).catch(() => undefined);
      return detail && ENDED.includes(String(detail.status)) ? detail : undefined;
    },
    limitMs,
  );
}

/** Path of a program beside the tests of runs. */
export function programPath(name: string): string {
  return path.join(PROJECT, 'test/e2e/agent-runs/programs', name);
}
