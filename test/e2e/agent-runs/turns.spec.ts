import { setTimeout as pause } from 'node:timers/promises';
import { newThreadId } from '../../factories/events.js';
import { AgentRunner, endOf, programPath } from '../../support/agent-runner.js';
import { freePort } from '../../support/free-port.js';
import { checkpointsOf } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';

/** Kills, alternating between the agent process and the API. `WAYSTATION_TEST_KILLS` makes the test longer. */
const KILLS = Number(process.env.WAYSTATION_TEST_KILLS ?? 6);
const STEPS = 12;
const BETWEEN_POSTS_MS = 250;
const env = { STEPS: String(STEPS), PAUSE_MS: '40' };
const AGENTS = {
  printing: { command: ['node', programPath('steps.mjs')], env: { ...env, ANSWER: 'the end' }, concurrency: 2 },
  reporting: { command: ['node', programPath('self-reporting.mjs')], env, concurrency: 2 },
};

type AgentName = keyof typeof AGENTS;

interface Accepted {
  agent: AgentName;
  threadId: string;
  runId: string;
}

/** Posts to webhooks like a stubborn caller: repeats the same request until it is accepted. */
class Callers {
  readonly accepted: Accepted[] = [];
  private isOver = false;
  private readonly calling: Promise<void>;

  constructor(private readonly agents: () => AgentRunner) {
    this.calling = this.call();
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.calling;
  }

  private async call(): Promise<void> {
    for (let count = 0; !this.isOver; count++) {
      const agent: AgentName = count % 2 === 0 ? 'printing' : 'reporting';
      const threadId = newThreadId();
      this.accepted.push({ agent, threadId, runId: await this.untilTaken(agent, threadId) });
      await pause(BETWEEN_POSTS_MS);
    }
  }

  private async untilTaken(agent: AgentName, threadId: string): Promise<string> {
    for (;;) {
      const body = { message: 'hello', thread_id: threadId };
      const answer = await this.agents()
        .post(agent, body, { 'Idempotency-Key': threadId })
        .catch(() => undefined);
      if (answer?.status === 202) return String(answer.json().run_id);
      await pause(BETWEEN_POSTS_MS);
    }
  }
}

describe('Runs under a load of webhooks', () => {
  let storage: TestStorage;
  let api: ServerProcess;
  let agents: AgentRunner;
  let port: string;

  const startApi = () => ServerProcess.start(storage, { env: { WAYSTATION_PORT: port } });
  const logging = { WAYSTATION_LOG_LEVEL: 'info' };
  const startAgents = () =>
    AgentRunner.start({ storage, apiUrl: `http://127.0.0.1:${port}`, agents: AGENTS, env: logging });

  beforeAll(async () => {
    storage = await freshStorage();
    port = String(await freePort());
    api = await startApi();
    agents = await startAgents();
  });
  afterAll(async () => {
    await agents?.stop();
    await api?.stop();
    await storage.dispose();
  });

  async function expectWhole({ agent, threadId, runId }: Accepted): Promise<void> {
    const detail = await endOf(api.api, threadId).catch((error: unknown) => {
      throw new Error(`The run of ${agent} has not ended. The agent process printed: ${agents.printed}`, {
        cause: error,
      });
    });
    expect(detail).toMatchObject({ status: 'completed', runs: 1, run_list: [{ trace_id: runId }] });
    const rows = await checkpointsOf(api.api, threadId);
    const said = Array.from({ length: STEPS }, (_, step) => `step ${step}`);
    if (agent === 'printing') said.push('the end');
    expect(rows.map(({ step_index }) => step_index)).toEqual(said.map((_, step) => step));
    expect(rows.at(-1)?.history.map(({ content }) => content)).toEqual(['hello', ...said]);
  }

  it(
    'all come to their end, no step lost and none doubled, while agent process and API are killed in turns',
    async () => {
      const callers = new Callers(() => agents);
      for (let kill = 0; kill < KILLS; kill++) {
        // At a different moment of the runs each time.
        await pause(300 + Math.random() * 700);
        if (kill % 2 === 0) {
          await agents.kill();
          agents = await startAgents();
        } else {
          await api.kill();
          api = await startApi();
        }
      }
      await callers.end();
      expect(callers.accepted.length).toBeGreaterThan(KILLS);
      for (const run of callers.accepted) await expectWhole(run);
    },
    120_000 + KILLS * 30_000,
  );
});
