import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { newThreadId } from '../../factories/events.js';
import { approvalPage, decided } from '../../support/approvals.js';
import { untested } from '../../support/clients/installed-client.js';
import { requestsOfSteps } from '../../support/clients/graph-steps.js';
import { langGraph } from '../../support/clients/langgraph-python.js';
import { PythonTests } from '../../support/clients/python-tests.js';
import { foundPythons, pythonWith, type PythonWith } from '../../support/clients/python-with.js';
import { freePort } from '../../support/free-port.js';
import { detailOf, latestOf, ok } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

const MINUTES = 60_000;
const CLIENTS = path.resolve(import.meta.dirname, '../../../clients');
const FOLDER = path.join(CLIENTS, 'langgraph-python');
const run = promisify(execFile);

/** Unlike other packages, LangGraph's may be missing even if `WAYSTATION_REQUIRE_CLIENTS` is set: some indexes lack them. */
function say(reason: string): void {
  process.stderr.write(`\n!!! NOT TESTED: clients/langgraph-python: ${reason}\n\n`);
}

it('The Python checkpointer asks and answers what LangChain has asked with, by recorded values', async () => {
  const found = foundPythons().at(-1);
  if (found === undefined) return untested('clients/langgraph-python', 'there is no Python 3.9 or later');
  const env = { ...process.env, PYTHONPATH: path.join(CLIENTS, 'python/src'), PYTHONDONTWRITEBYTECODE: '1' };
  const { stderr } = await run(found.path, ['tests/test_recorded.py'], { cwd: FOLDER, env });
  expect(stderr).toMatch(/^Ran \d+ tests[^]*\nOK\n$/m);
});

const python = langGraph();

('reason' in python ? describe.skip : describe)('The Python checkpointer of LangGraph', () => {
  let storage: TestStorage;
  let server: ServerProcess;
  /** Fixed, so that the server restarts at the same address. */
  let port: number;
  let installed: string;
  const withLangGraph = python as PythonWith;

  beforeAll(async () => {
    installed = mkdtempSync(path.join(os.tmpdir(), 'waystation-langgraph-python-'));
    storage = await freshStorage();
    port = await freePort();
    server = await start();
  }, 2 * MINUTES);
  afterAll(async () => {
    await server?.stop();
    await storage?.dispose();
    if (installed) rmSync(installed, { recursive: true, force: true });
  });

  function start(): Promise<ServerProcess> {
    return ServerProcess.start(storage, { env: { WAYSTATION_PORT: `${port}` } });
  }

  function environment(): Record<string, string> {
    return { WAYSTATION_API_URL: `http://127.0.0.1:${port}`, WAYSTATION_TOKEN: storage.secret };
  }

  it(
    'answers as LangGraph promises, and asks people what is open',
    async () => {
      const tests = new PythonTests('langgraph-python', withLangGraph);
      await tests.run({ ...environment(), PYTHONPATH: path.join(CLIENTS, 'python/src') });
      const faults = tests.names().flatMap((name) => {
        try {
          tests.check(name);
          return [];
        } catch (error) {
          return [`${name}: ${(error as Error).message}`];
        }
      });
      expect(faults).toEqual([]);
    },
    4 * MINUTES,
  );

  it(
    'brings a graph through the end of its process and of the server to what a person decides',
    async () => {
      const packages = ['python', 'langgraph-python'].map((name) => path.join(CLIENTS, name));
      const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--target', installed];
      await run(withLangGraph.path, [...pip, ...packages]);
      const threadId = newThreadId('graph');
      const shownAs = `langgraph:${threadId}`;
      const startGraph = (): ChildProcess =>
        spawn(withLangGraph.path, [path.join(FOLDER, 'examples/refund_agent.py'), threadId], {
          env: { ...process.env, ...environment(), PYTHONPATH: installed },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
      const first = startGraph();
      const isWaiting = async () => {
        const { items } = await approvalPage(server.api);
        return items.some(({ trace_id }) => trace_id === shownAs);
      };
      await waitFor('the graph to ask', isWaiting, MINUTES);
      first.kill('SIGKILL');
      await server.kill();
      const second = startGraph();
      let said = '';
      second.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const end = once(second, 'close');
      server = await start();
      const { step_index, pending_tool_calls } = await latestOf(server.api, shownAs);
      expect(pending_tool_calls).toMatchObject([{ function: { name: 'issue_refund' } }]);
      await decided(server.api, 'approve', { traceId: shownAs }, step_index, { decided_by: 'Ada' });
      expect(await end).toEqual([0, null]);
      expect(said).toContain('Done: refunded 25');
      const { status, history } = await detailOf(server.api, shownAs);
      expect(status).toBe('completed');
      expect(history).toMatchObject([
        { role: 'user', content: 'Refund order 4711' },
        { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'issue_refund' } }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'refunded 25' },
        { role: 'assistant', content: 'Done: refunded 25' },
      ]);
      ok(await server.api.get(`/v1/runners/threads/${shownAs}/state`));
    },
    3 * MINUTES,
  );

  it(
    'costs at most two requests a step',
    async () => {
      const sources = ['python', 'langgraph-python'].map((name) => path.join(CLIENTS, name, 'src'));
      const env = {
        ...process.env,
        ...environment(),
        PYTHONPATH: sources.join(path.delimiter),
        PYTHONDONTWRITEBYTECODE: '1',
      };
      const steps = { program: withLangGraph.path, args: ['tests/hundred_steps.py'], cwd: FOLDER, env };
      const requests = await requestsOfSteps(server.api, steps, path.join(installed, 'steps.db'));
      expect(requests).toBeLessThanOrEqual(2.1);
    },
    4 * MINUTES,
  );

  it(
    'has the types of mypy --strict, and nothing that ruff finds',
    async () => {
      const tools = pythonWith(['mypy', 'ruff']);
      if ('reason' in tools) return untested('the types of clients/langgraph-python', tools.reason);
      const options = ['--strict', '--no-incremental', '--python-executable', withLangGraph.path];
      const checks = [
        run(tools.program('mypy'), options, { cwd: FOLDER }),
        run(tools.program('ruff'), ['check', '--no-cache', '.'], { cwd: FOLDER }),
        run(tools.program('ruff'), ['format', '--no-cache', '--check', '.'], { cwd: FOLDER }),
      ];
      for (const check of await Promise.allSettled(checks)) {
        if (check.status === 'rejected') throw new Error(String((check.reason as { stdout?: string }).stdout));
      }
    },
    4 * MINUTES,
  );
});

if ('reason' in python) {
  it('can only be tested where LangGraph can be installed', () => say(python.reason));
}
