import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { newThreadId } from '../../factories/events.js';
import { approvalPage, decided } from '../../support/approvals.js';
import { untested } from '../../support/clients/installed-client.js';
import { langGraph } from '../../support/clients/langgraph-python.js';
import { foundPythons } from '../../support/clients/python-with.js';
import { fencedBlocks } from '../../support/documents/fenced-blocks.js';
import { detailOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const MINUTES = 60_000;
const GUIDE = path.resolve(import.meta.dirname, '../../../docs/guides/reporting-and-resuming.md');
const NPM = ['i', '--no-audit', '--no-fund', '--fetch-retries=0', '--loglevel=error'];
const PIP = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check', '--no-index', '--no-deps'];
/** Each npm adapter's companion packages, and a program of its package that needs no model. */
const ADAPTERS = {
  langgraph: ['@langchain/langgraph@1.7.3', '@langchain/core@1.4.0'],
  'openai-agents': ['@openai/agents-core@0.20.0'],
  'claude-sessions': ['--legacy-peer-deps'],
} as const;

const run = promisify(execFile);
const server = useServer();
let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(path.join(os.tmpdir(), 'waystation-served-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const served = (file: string) => `${server.api.baseUrl}/clients/${file}`;
const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_OPTIONS: '',
  WAYSTATION_API_URL: server.api.baseUrl,
  WAYSTATION_TOKEN: server.api.token,
  WAYSTATION_AGENT_ID: 'support',
  ...more,
});

/** A new folder in which npm has installed these packages. @returns null if the registry is not available */
async function projectWith(name: string, packages: readonly string[]): Promise<string | null> {
  const folder = path.join(scratch, name);
  await mkdir(folder);
  try {
    await run('npm', [...NPM, ...packages], { cwd: folder });
    return folder;
  } catch (error) {
    // Packages from this server need no registry.
    if (packages.every((one) => one.startsWith(server.api.baseUrl))) throw error;
    untested(`@waystation/${name} as it is served`, (error as { stderr: string }).stderr.slice(0, 500));
    return null;
  }
}

/** The guide's first block in this language that begins with this text. */
async function exampleIn(language: string, begin: string): Promise<string> {
  const blocks = fencedBlocks(await readFile(GUIDE, 'utf8')).filter((block) => block.language === language);
  const found = blocks.find(({ text }) => text.includes(begin));
  if (found === undefined) throw new Error(`The guide has no ${begin}.`);
  return found.text;
}

async function statusOf(threadId: string): Promise<unknown> {
  return (await detailOf(server.api, threadId)).status;
}

describe('What the server serves for npm', () => {
  it(
    "is installed into an empty project, and runs the guide's example",
    async () => {
      const folder = await projectWith('client', [served('waystation-client.tgz')]);
      const text = await exampleIn('ts', "client.run('order-4711'");
      const { outputText } = ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.ESNext } });
      await writeFile(path.join(folder!, 'agent.mjs'), outputText);
      await run(process.execPath, ['agent.mjs'], { cwd: folder!, env: environment() });
      expect(await statusOf('order-4711')).toBe('completed');
    },
    2 * MINUTES,
  );

  it.each(['openai-agents', 'claude-sessions'] as const)(
    'has @waystation/%s, whose example goes on with a conversation',
    async (name) => {
      const packages = [...ADAPTERS[name], served('waystation-client.tgz'), served(`waystation-${name}.tgz`)];
      const folder = await projectWith(name, packages);
      if (folder === null) return;
      const example = name === 'openai-agents' ? 'support' : 'resume';
      const say = (text: string) =>
        run(process.execPath, [`node_modules/@waystation/${name}/examples/${example}.mjs`, 'ada', text], {
          ...{ cwd: folder, env: environment({ WAYSTATION_AGENT_ID: name }) },
        });
      await say('I am Ada.');
      expect((await say('Who am I?')).stdout).toContain('2 messages; the first was: I am Ada.');
    },
    5 * MINUTES,
  );

  it(
    'has @waystation/langgraph, whose example goes on when a person has approved',
    async () => {
      const packages = [...ADAPTERS.langgraph, served('waystation-client.tgz'), served('waystation-langgraph.tgz')];
      const folder = await projectWith('langgraph', packages);
      if (folder === null) return;
      const example = ['node_modules/@waystation/langgraph/example/refund-agent.mjs'];
      expect(await approvedRun(process.execPath, example, { cwd: folder, env: environment() })).toContain(
        'refunded 25',
      );
    },
    5 * MINUTES,
  );
});

describe('What the server serves for pip', () => {
  it(
    "is installed into an empty environment, and runs the guide's example",
    async () => {
      const python = foundPythons().at(-1);
      if (python === undefined) return untested('the served client for Python', 'there is no Python 3.9 or later');
      const folder = path.join(scratch, 'python');
      await run(python.path, ['-m', 'venv', folder]);
      const own = path.join(folder, 'bin', 'python');
      await run(own, [...PIP, served('waystation-0.1.0-py3-none-any.whl')]);
      const text = await exampleIn('python', 'ws.run("order-4712")');
      await run(own, ['-c', text], { env: environment({ PYTHONPATH: '' }) });
      expect(await statusOf('order-4712')).toBe('completed');
    },
    2 * MINUTES,
  );

  it(
    'has waystation-langgraph, whose example goes on when a person has approved',
    async () => {
      const python = langGraph();
      if ('reason' in python) {
        process.stderr.write(`\n!!! NOT TESTED: waystation-langgraph as it is served: ${python.reason}\n\n`);
        return;
      }
      const folder = path.join(scratch, 'langgraph-python');
      const wheels = ['waystation', 'waystation_langgraph'].map((name) => served(`${name}-0.1.0-py3-none-any.whl`));
      await run(python.path, [...PIP, '--target', folder, ...wheels]);
      const example = path.resolve(import.meta.dirname, '../../../clients/langgraph-python/examples/refund_agent.py');
      const env = environment({ PYTHONPATH: folder });
      expect(await approvedRun(python.path, [example], { cwd: scratch, env })).toContain('refunded 25');
    },
    5 * MINUTES,
  );
});

/** Runs a refund agent and approves its calls. @returns its output */
async function approvedRun(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<string> {
  const threadId = newThreadId('graph');
  const child = spawn(program, [...args, threadId], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const end = once(child, 'close');
  const asked = await waitFor(
    'the graph to ask',
    async () => (await approvalPage(server.api)).items.find(({ thread_id }) => thread_id === `langgraph:${threadId}`),
    MINUTES,
  );
  await decided(server.api, 'approve', { traceId: asked.trace_id }, asked.step);
  expect(await end).toEqual([0, null]);
  return printed;
}
