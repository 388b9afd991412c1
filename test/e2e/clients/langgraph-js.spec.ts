import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { approvalPage, decided, type Approval } from '../../support/approvals.js';
import { typeFaultsOf } from '../../support/clients/adapter-run.js';
import { requestsOfSteps } from '../../support/clients/graph-steps.js';
import { describeWithClient, type InstalledClient } from '../../support/clients/installed-client.js';
import { packClient } from '../../support/clients/packed-client.js';
import { freePort } from '../../support/free-port.js';
import { detailOf, latestOf, ok, type Page } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

const MINUTES = 60_000;

let storage: TestStorage;
let server: ServerProcess;
/** Fixed, so that the server restarts at the same address. */
let port: number;
let scratch: string;

beforeAll(async () => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'waystation-langgraph-'));
  storage = await freshStorage();
  port = await freePort();
  server = await start();
});
afterAll(async () => {
  await server?.stop();
  await storage?.dispose();
  rmSync(scratch, { recursive: true, force: true });
});

function start(): Promise<ServerProcess> {
  return ServerProcess.start(storage, { env: { WAYSTATION_PORT: `${port}` } });
}

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    WAYSTATION_API_URL: `http://127.0.0.1:${port}`,
    WAYSTATION_TOKEN: storage.secret,
    NODE_OPTIONS: '',
  };
}

interface Output {
  status: number;
  text: string;
}

async function run(program: string, args: readonly string[], cwd: string): Promise<Output> {
  const child = spawn(program, args, { cwd, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number];
  return { status, text };
}

/** The packed packages, unpacked where installing them would put them. */
function consumer({ folder }: InstalledClient): string {
  const home = path.join(scratch, 'consumer');
  const modules = path.join(home, 'node_modules');
  for (const [from, name] of [
    ['typescript', 'client'],
    ['langgraph-js', 'langgraph'],
  ] as const) {
    const own = path.join(modules, '@waystation', name);
    mkdirSync(own, { recursive: true });
    spawnSync('tar', ['-xzf', packClient(from, scratch), '--strip-components=1', '-C', own]);
  }
  for (const name of readdirSync(path.join(folder, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@waystation')
      symlinkSync(path.join(folder, 'node_modules', name), path.join(modules, name));
  }
  return home;
}

describeWithClient('langgraph-js', '@waystation/langgraph', (client) => {
  let home: string;
  beforeAll(() => {
    home = consumer(client);
  }, 2 * MINUTES);

  it("has LangGraph's types", () => {
    expect(typeFaultsOf(client)).toBe('');
  });

  function startGraph(threadId: string): ChildProcess {
    const example = path.join(home, 'refund-agent.mjs');
    return spawn(process.execPath, [example, threadId], {
      cwd: home,
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  it(
    "passes all of LangGraph's suites, and those of the package",
    async () => {
      const report = path.join(scratch, 'report.json');
      const args = ['run', '--config', 'vitest.config.mjs', '--reporter=json', `--outputFile=${report}`];
      const { text } = await run(client.program('vitest'), args, client.folder);
      const result = JSON.parse(readFileSync(report, 'utf8')) as {
        numPassedTests: number;
        testResults: { assertionResults: { status: string; fullName: string; failureMessages: string[] }[] }[];
      };
      const tests = result.testResults.flatMap(({ assertionResults }) => assertionResults);
      const others = tests.filter(({ status }) => status !== 'passed');
      expect(others.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]}`)).toEqual([]);
      if (result.numPassedTests < 700) throw new Error(text);
    },
    4 * MINUTES,
  );

  it(
    'brings a graph through the end of its process and of the server to what a person decides',
    async () => {
      copyFileSync(path.join(client.folder, 'example/refund-agent.mjs'), path.join(home, 'refund-agent.mjs'));
      const threadId = newThreadId('graph');
      const traceId = `langgraph:${threadId}`;
      const shownAs = `langgraph:${threadId}`;
      const first = startGraph(threadId);
      const isWaiting = async () => {
        const answer = await server.api.get('/approvals');
        return answer.json<Page<{ trace_id: string }>>().items.some(({ trace_id }) => trace_id === traceId);
      };
      await waitFor('the graph to ask', isWaiting);
      first.kill('SIGKILL');
      await server.kill();
      const second = startGraph(threadId);
      server = await start();
      expect(await isWaiting()).toBe(true);
      const { step_index, pending_tool_calls } = await latestOf(server.api, shownAs);
      expect(pending_tool_calls).toMatchObject([{ function: { name: 'issue_refund' } }]);
      await decided(server.api, 'approve', { traceId }, step_index, { decided_by: 'Ada' });
      let said = '';
      second.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
      expect(await once(second, 'exit')).toEqual([0, null]);
      expect(said).toContain('Done: refunded 25');
      const shown = await detailOf(server.api, shownAs);
      expect(shown.status).toBe('completed');
      expect(shown.history).toMatchObject([
        { role: 'user', content: 'Refund order 4711' },
        { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'issue_refund' } }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'refunded 25' },
        { role: 'assistant', content: 'Done: refunded 25' },
      ]);
      ok(await server.api.get(`/v1/runners/threads/${shownAs}/state`));
    },
    2 * MINUTES,
  );

  it(
    'gives each node of a step its own decision, though the process died between their questions',
    async () => {
      const threadId = newThreadId('graph');
      const traceId = `langgraph:${threadId}`;
      const startNodes = (...args: string[]): ChildProcess =>
        spawn(process.execPath, ['test/parallel-nodes.mjs', threadId, ...args], {
          cwd: client.folder,
          // It finds the server through its home, and must use this thread, as under an agent process.
          env: {
            ...environment(),
            ...{ WAYSTATION_API_URL: '', WAYSTATION_HOME: storage.home, WAYSTATION_THREAD_ID: threadId },
          },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
      const asked = (after: number) =>
        waitFor('a question', async () => {
          const { items } = await approvalPage(server.api);
          return items.find(({ trace_id, step }) => trace_id === traceId && step > after);
        });
      const nodesIn = ({ tool_calls }: Approval) => tool_calls.map(({ args }) => (args as { node: string }).node);
      const killed = startNodes();
      const one = await asked(-1);
      expect([one.thread_id, ...nodesIn(one)]).toEqual([threadId, 'first']);
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      await decided(server.api, 'approve', { traceId }, one.step);
      const rest = startNodes('both');
      let said = '';
      rest.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const end = once(rest, 'close');
      const other = await asked(one.step);
      expect(nodesIn(other)).toEqual(['second']);
      await decided(server.api, 'reject', { traceId }, other.step);
      expect(await end).toEqual([0, null]);
      expect(JSON.parse(said)).toEqual(['first: true', 'second: false']);
    },
    2 * MINUTES,
  );

  it(
    'costs at most two requests a step',
    async () => {
      const steps = {
        program: process.execPath,
        args: ['test/hundred-steps.mjs'],
        cwd: client.folder,
        env: environment(),
      };
      const requests = await requestsOfSteps(server.api, steps, path.join(scratch, 'steps.db'));
      expect(requests).toBeLessThanOrEqual(2.1);
    },
    4 * MINUTES,
  );

  it(
    'can be used from both module systems, with strict types',
    async () => {
      const esm = `import { WaystationSaver, resumeWhenDecided, type Decision } from '@waystation/langgraph';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
const saver: WaystationSaver = new WaystationSaver({ token: 't', agentId: 'a' });
const graph = new StateGraph(MessagesAnnotation).addNode('n', () => ({})).addEdge(START, 'n').compile({ checkpointer: saver });
const resume = () => resumeWhenDecided(graph, {}, { toResume: ({ approved }: Decision) => approved });
console.log(typeof resume, saver.constructor.name);
`;
      writeFileSync(path.join(home, 'esm.mts'), esm);
      writeFileSync(
        path.join(home, 'cjs.cts'),
        esm.replaceAll(/import \{(.*)\} from '(.*)';/g, `import {$1} from '$2';`),
      );
      const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', '--types', 'node'];
      const compiled = await run(client.program('tsc'), [...options, 'esm.mts', 'cjs.cts'], home);
      expect(compiled).toEqual({ status: 0, text: '' });
      for (const file of ['esm.mjs', 'cjs.cjs']) {
        expect(await run(process.execPath, [file], home)).toEqual({ status: 0, text: 'function WaystationSaver\n' });
      }
    },
    2 * MINUTES,
  );
});
