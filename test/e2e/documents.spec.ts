import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { parse as parseYaml } from 'yaml';
import { TelegramFake } from '../fakes/platforms/telegram-fake.js';
import { WhatsappFake } from '../fakes/platforms/whatsapp-fake.js';
import { untested } from '../support/clients/installed-client.js';
import { foundPythons } from '../support/clients/python-with.js';
import { DocumentShell } from '../support/documents/document-shell.js';
import { fencedBlocks, type FencedBlock } from '../support/documents/fenced-blocks.js';
import { differences, lastObjectIn, parsePrinted } from '../support/documents/printed-json.js';
import { freePort } from '../support/free-port.js';
import { ServerProcess } from '../support/server-process.js';
import { freshStorage, type TestStorage } from '../support/storage.js';
import { strictErrors } from '../support/strict-typescript.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');
/** All documents take three minutes on two cores, beside other tests. */
const LIMIT_MS = 900_000;
/** Documents that are read at a time. */
const AT_ONCE = 4;

/** Blocks that cannot run on one machine and are only compiled, by document and by their beginning, each with the reason. */
const NOT_RUN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'clients/ai-sdk/README.md': {
    'npm i ai': 'needs the registry; test/e2e/clients/served.spec.ts installs it',
    'import { answerApprovals': 'needs the SDK; test/e2e/clients/ai-sdk.spec.ts runs such a program',
  },
  'clients/claude-sessions/README.md': {
    'npm i @anthropic-ai': 'needs the registry; test/e2e/clients/served.spec.ts installs it',
    'import { query': 'needs the SDK; test/e2e/clients/claude-sessions.spec.ts runs such a program',
    'import { canUseTool': 'needs the SDK; test/e2e/clients/claude-sessions.spec.ts runs such a program',
  },
  'clients/langgraph-js/README.md': {
    'npm i @langchain/langgraph': 'needs the registry; test/e2e/clients/served.spec.ts installs it',
    'import { WaystationSaver': 'needs packages of clients/langgraph-js; its spec checks such a program',
  },
  'clients/langgraph-python/README.md': {
    'pip install langgraph': 'needs the registry; test/e2e/clients/served.spec.ts installs it',
    'from waystation_langgraph': 'needs LangGraph; test/e2e/clients/langgraph-python.spec.ts runs such a program',
    'python clients/langgraph-python': 'needs LangGraph; test/e2e/clients/langgraph-python.spec.ts runs it',
  },
  'clients/openai-agents/README.md': {
    'npm i @openai/agents': 'needs the registry; test/e2e/clients/served.spec.ts installs it',
    'import { run }': 'needs the SDK; test/e2e/clients/openai-agents.spec.ts runs such a program',
    'import { runWithApprovals': 'needs the SDK; test/e2e/clients/openai-agents.spec.ts runs such a program',
  },
  'clients/python/README.md': {
    'pip install http': 'changes the Python of this machine; test/e2e/clients/served.spec.ts installs it',
    'from waystation import DiskSpool': 'writes to /var/lib; clients/python/tests/test_spool.py uses such a folder',
    'call = {"id"': 'goes on from the first block; clients/python/tests/test_client.py asks so',
    'answer = ws.ask': 'goes on from the first block; clients/python/tests/test_client.py asks so',
    'with ws.run("order-3")': 'needs a bank; clients/python/tests/test_client.py makes such a call',
    'with ws.run("order-4")': 'needs the work of an agent; clients/python/tests/test_runs.py leases so',
    'from waystation.openai_agents': 'needs the SDK; clients/python/tests/test_openai_agents.py runs such a program',
  },
  'clients/typescript/README.md': {
    'npm i http': 'the shell of this test has no npm; test/e2e/clients/served.spec.ts installs it',
  },
  'README.md': {
    'npm install --global': 'needs the registry; test/e2e/packed-program.spec.ts packs and installs it',
    'docker run': 'needs a container engine; test/e2e/container/readme.spec.ts runs it',
  },
  'docs/guides/agent-process.md': {
    'agents:': 'the definition that the shell blocks start',
    '10:18:41 research': 'the log on a terminal; test/e2e/agent/talking.spec.ts reads it',
    '{"message": "Hello", "agent_id"': 'what a program reads; test/e2e/agent-runs checks it',
  },
  'docs/guides/ai-sdk.md': {
    'import { WaystationClient': 'needs the SDK; test/e2e/clients/ai-sdk.spec.ts runs such a program',
  },
  'docs/guides/claude-sessions.md': {
    'import { randomUUID': 'needs the SDK; test/e2e/clients/claude-sessions.spec.ts runs such a program',
  },
  'docs/guides/channels.md': {
    'curl -fH "Authorization': 'its address comes with a message; test/e2e/channels fetches attachments',
    "printf 'day": 'what a program does; test/e2e/agent-runs/attachments.spec.ts runs such a one',
    'In answer to a message': 'what a function of the clients returns; their tests check it',
    'WAYSTATION_RECEIVER_PORT=': 'needs a tunnel to the internet',
    'curl -fH ': 'needs a file that a person has sent; test/e2e/channels/attachments.spec.ts fetches one',
  },
  'docs/guides/notices.md': {
    '{"type": "run_failed"': 'what a receiver gets; test/medium/notices checks it',
  },
  'docs/guides/openai-agents.md': {
    'import { runWithApprovals': 'needs the SDK; test/e2e/clients/openai-agents.spec.ts runs such a program',
    'from agents import Agent': 'needs the SDK; test/e2e/clients/python.spec.ts checks the session',
  },
  'docs/guides/containers.md': {
    'waystation serve ': 'needs a container engine',
    'waystation-shop-': 'the output of that',
    'FROM ': 'needs a container engine',
  },
  'docs/guides/langgraph.md': {
    'npm i @langchain/langgraph': 'needs the registry; test/e2e/clients/served.spec.ts installs it',
    'import { WaystationSaver': 'needs packages of clients/langgraph-js; its spec checks such a program',
    'await resumeWhenDecided': 'goes on from the block before',
    'pip install langgraph': 'needs the registry; test/e2e/clients/served.spec.ts installs it',
    'from waystation_langgraph': 'needs LangGraph; test/e2e/clients/langgraph-python.spec.ts runs such a program',
    'resume_when_decided(': 'goes on from the block before',
    'const { answers } = interrupt': 'needs packages of clients/langgraph-js; its people.suite.mjs asks so',
    'const agent = createAgent': 'needs packages of clients/langgraph-js; its middleware.suite.mjs runs such agents',
  },
  'docs/guides/operations.md': {
    'waystation restore ': 'needs that all servers are stopped; test/e2e/operations restores',
    'DATABASE_URL=': 'needs PostgreSQL at a given address',
    'pg_dump ': 'needs PostgreSQL and its client tools',
    'pg_restore ': 'needs PostgreSQL and its client tools',
    '# stop the server, then': 'needs PostgreSQL at a given address',
    'scrape_configs:': 'the configuration of Prometheus',
  },
  'docs/guides/webhooks.md': {
    'agents:': 'the definition that the shell block tries',
  },
  'docs/guides/reporting-and-resuming.md': {
    'start of a run ': 'an overview',
    'npm i http': 'the shell of this test has no npm; test/e2e/clients/served.spec.ts installs it',
    'pip install http': 'changes the Python of this machine; test/e2e/clients/served.spec.ts installs it',
  },
};

/** Addresses and paths in documents that a test must replace. */
const PLACES: readonly (readonly [printed: string, ofTest: (world: World) => string])[] = [
  ['http://127.0.0.1:8000', ({ server }) => server.address ?? ''],
  ['http://127.0.0.1:9100', ({ agentPort }) => `http://127.0.0.1:${agentPort}`],
  ['/home/kim/.waystation', ({ storage }) => storage.home],
  ['/etc/prometheus', ({ user }) => user],
  ['/backups', ({ user }) => user],
];

/** Each document's own server, and a home with what its reader would have. */
interface World {
  storage: TestStorage;
  server: ServerProcess;
  /** The reader's home. */
  user: string;
  agentPort: number;
  shell: DocumentShell;
}

const documents = [
  'README.md',
  'examples/README.md',
  ...(await readdir(path.join(PROJECT, 'clients'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `clients/${name}/README.md`),
  ...(await readdir(path.join(PROJECT, 'docs/guides')))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guides/${name}`),
];
const telegram = await TelegramFake.start(0, '123456:ABC');
const whatsapp = await WhatsappFake.start(0, {
  phoneNumberId: '106540352242922',
  displayNumber: '15550783881',
  accessToken: 'EAAG...',
  appSecret: '0123456789abcdef0123456789abcdef',
});
afterAll(() => Promise.all([telegram.close(), whatsapp.close()]));

/** Looked for once, before the documents: it starts each Python of the machine, and waits for it. */
const python = foundPythons().at(-1);

const blocksOf = new Map<string, FencedBlock[]>();
let typeFaultsOf = new Map<FencedBlock | null, string[]>();
const faultsOf = new Map<string, string[]>();

beforeAll(async () => {
  for (const name of documents) blocksOf.set(name, fencedBlocks(await readFile(path.join(PROJECT, name), 'utf8')));
  typeFaultsOf = typeFaultsIn([...blocksOf].flatMap(([name, blocks]) => blocks.filter((block) => isRun(name, block))));
  // A few at a time: each has a server, an agent and a shell of its own.
  const left = documents[Symbol.iterator]();
  const readOn = async () => {
    for (const name of left) faultsOf.set(name, await faultsIn(name, blocksOf.get(name)!));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
}, LIMIT_MS);

it('The declarations that the documents use have no faults', () => {
  expect(typeFaultsOf.get(null)).toEqual([]);
});

describe.each(documents)('%s', (document) => {
  it('prints nothing that does not work as printed', () => {
    expect(faultsOf.get(document)).toEqual([]);
  });

  it('has every block that is listed as not run', () => {
    const blocks = blocksOf.get(document) ?? [];
    const begins = Object.keys(NOT_RUN[document] ?? {});
    expect(begins.filter((begin) => !blocks.some(({ text }) => text.startsWith(begin)))).toEqual([]);
  });
});

function isRun(document: string, { text }: FencedBlock): boolean {
  return !Object.keys(NOT_RUN[document] ?? {}).some((begin) => text.startsWith(begin));
}

/** Errors in all TypeScript blocks at once: most of the time goes into the declarations that they share. Null: not in a block. */
function typeFaultsIn(blocks: readonly FencedBlock[]): Map<FencedBlock | null, string[]> {
  const snippets = blocks.filter(({ language }) => /^(ts|typescript)$/.test(language));
  const named = snippets.map((block, index) => [`snippet-${index}`, block] as const);
  const faults = strictErrors(Object.fromEntries(named.map(([name, { text }]) => [name, text])));
  const blockOf = (fault: string) => named.find(([name]) => fault.startsWith(`${name}.`))?.[1] ?? null;
  return new Map([null, ...snippets].map((block) => [block, faults.filter((fault) => blockOf(fault) === block)]));
}

/** Runs a document from top to bottom, as its reader would. @returns where it is wrong */
async function faultsIn(document: string, blocks: readonly FencedBlock[]): Promise<string[]> {
  const isOnlyCompiled = blocks.every((block) => !isRun(document, block) || typeFaultsOf.has(block));
  if (isOnlyCompiled) return faultsOfForms(document, blocks);
  const world = await openWorld(blocks);
  const faults: string[] = [];
  let output: string | null = null;
  try {
    for (const block of blocks) {
      const fail = (fault: string) => faults.push(`${document}:${block.line}: ${fault}`);
      if (isRun(document, block)) output = await check(world, block, output, fail);
      else {
        output = null;
        (await syntaxFaults(block)).forEach(fail);
      }
    }
  } catch (error) {
    faults.push(`${document}: ${String(error)}`);
  } finally {
    await closeWorld(world);
  }
  return faults;
}

/** For a document without blocks that need a server. */
async function faultsOfForms(document: string, blocks: readonly FencedBlock[]): Promise<string[]> {
  const faults = blocks.map(async (block) => typeFaultsOf.get(block) ?? (await syntaxFaults(block)));
  return (await Promise.all(faults)).flatMap((own, at) =>
    own.map((fault) => `${document}:${blocks[at]!.line}: ${fault}`),
  );
}

async function closeWorld({ shell, server, storage }: World): Promise<void> {
  await shell.close();
  await server.stop();
  await storage.dispose();
}

async function openWorld(blocks: readonly FencedBlock[]): Promise<World> {
  const storage = await freshStorage();
  const user = path.join(storage.home, 'user');
  await mkdir(user);
  await symlink(storage.home, path.join(user, '.waystation'));
  const server = await ServerProcess.start(storage, {
    env: {
      WAYSTATION_TELEGRAM_API_URL: telegram.url,
      WAYSTATION_WHATSAPP_API_URL: whatsapp.url,
      // They respond from this test's process, which serves all documents at once.
      WAYSTATION_PLATFORM_TIMEOUT_MS: '60000',
    },
  });
  // Readers have their own data: no block may rely on being the first or the only one.
  const { status, text } = await server.api.post('/v1/example-data');
  if (status !== 200) throw new Error(`The example data is refused: ${text}`);
  const agentPort = await freePort();
  const definition = blocks.find(({ text }) => text.startsWith('agents:'));
  if (definition)
    await writeFile(path.join(user, 'agents.yaml'), definition.text.replaceAll('9100', String(agentPort)));
  await writeFile(path.join(user, 'agent.mjs'), 'process.stdout.write("done")\n');
  await writeFile(path.join(user, 'research.py'), 'print("done")\n');
  for (const folder of ['examples', 'clients']) await symlink(path.join(PROJECT, folder), path.join(user, folder));
  const serverOutput = path.join(user, 'server.log');
  await writeFile(serverOutput, server.printed);
  const shell = DocumentShell.start(user, {
    HOME: user,
    SERVER_OUTPUT: serverOutput,
    WAYSTATION_HOME: storage.home,
    WAYSTATION_API_URL: server.address ?? '',
    WAYSTATION_AGENT_PORT: String(agentPort),
    // Instead of `pip install http://127.0.0.1:8000/clients/waystation-0.1.0-py3-none-any.whl`.
    ...{ PYTHONPATH: path.join(PROJECT, 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' },
    ...{ MODEL: 'some-model', HOOK_TOKEN: 'hook-token', HOOK_SECRET: 'hook-secret' },
  });
  return { storage, server, user, agentPort, shell };
}

/**
 * Runs, sends, compiles or compares a block.
 * @param output of the previous shell block; null if there was none
 * @returns the output that the next block may show
 */
async function check(
  world: World,
  block: FencedBlock,
  output: string | null,
  fail: (fault: string) => unknown,
): Promise<string | null> {
  if (/^(sh|bash|shell|console)$/.test(block.language)) return runShell(world, block, fail);
  const typeFaults = typeFaultsOf.get(block);
  if (typeFaults !== undefined) typeFaults.forEach(fail);
  else if (block.language === 'python') await runPython(world, block, fail);
  else if (block.language === 'json' && output !== null) {
    differences(parsePrinted(block.text), lastObjectIn(output)).forEach(fail);
  } else if (block.language === 'json') await sendEvents(world, block, fail);
  else if (block.language === 'text' && output !== null) compareLines(block.text, output).forEach(fail);
  else if (/^(GET|POST|PUT|DELETE) /.test(block.text)) await sendRequest(world, block, fail);
  else fail('is neither run nor listed with a reason in NOT_RUN of test/e2e/documents.spec.ts');
  return null;
}

async function runShell(world: World, { text }: FencedBlock, fail: (fault: string) => unknown): Promise<string | null> {
  const toRun = PLACES.reduce((script, [printed, ofTest]) => script.replaceAll(printed, ofTest(world)), text);
  // Nothing changes here while a request waits.
  const { stdout, stderr } = await world.shell.run(toRun.replaceAll(/wait=\d+/g, 'wait=1'));
  const problem = /"urn:waystation:problem:.*/.exec(stdout)?.[0];
  if (problem !== undefined && !text.includes('limit=0')) fail(`is answered with ${problem}`);
  return PLACES.reduce((shown, [printed, ofTest]) => shown.replaceAll(ofTest(world), printed), stderr + stdout);
}

/** Runs a program with the client of `clients/python`. */
async function runPython(
  { server, storage }: World,
  { text }: FencedBlock,
  fail: (fault: string) => unknown,
): Promise<void> {
  const { PATH, HOME } = process.env;
  const own = { WAYSTATION_API_URL: server.address ?? '', WAYSTATION_TOKEN: storage.secret };
  const env = {
    PATH,
    HOME,
    ...own,
    PYTHONPATH: path.join(PROJECT, 'clients/python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  if (python === undefined) return untested('the Python of the documents', 'there is no Python 3.9 or later');
  await promisify(execFile)(python.path, ['-c', text], { env }).then(
    ({ stderr }) => stderr && fail(`complains: ${stderr}`),
    (error: Error) => fail(error.message),
  );
}

/** Syntax errors of a block that cannot run here. */
async function syntaxFaults({ language, text }: FencedBlock): Promise<string[]> {
  try {
    if (/^(ts|typescript|js|javascript)$/.test(language)) await transform(text, { loader: 'ts' });
    else if (language === 'python') await compilePython(text);
    else if (/^(sh|bash)$/.test(language)) await promisify(execFile)('bash', ['-n', '-c', text]);
    else if (/^ya?ml$/.test(language)) parseYaml(text);
    else if (language === 'json') parsePrinted(text);
    return [];
  } catch (error) {
    return [`cannot be read: ${String(error)}`];
  }
}

async function compilePython(text: string): Promise<void> {
  if (python) await promisify(execFile)(python.path, ['-c', 'import ast, sys; ast.parse(sys.argv[1])', text]);
}

/** A standalone batch of events must be accepted by the server. */
async function sendEvents({ server }: World, { text }: FencedBlock, fail: (fault: string) => unknown): Promise<void> {
  const answer = await server.api.post('/v1/runners/events', text);
  if (answer.status !== 200) fail(`is refused: ${answer.text}`);
}

/** A request in HTTP's form: the target, then headers. */
async function sendRequest(
  { server, storage }: World,
  { text }: FencedBlock,
  fail: (fault: string) => unknown,
): Promise<void> {
  const [first = '', ...lines] = text.split('\n');
  const [method = '', target = ''] = first.split(' ');
  const headers = Object.fromEntries(lines.map((line) => line.split(/: /, 2) as [string, string]));
  const answer = await fetch(server.address + target.replace(/wait=\d+/, 'wait=1'), {
    method,
    headers: { authorization: `Bearer ${storage.secret}`, ...headers },
  });
  if (answer.status >= 400) fail(`is answered with ${answer.status}`);
  await answer.body?.cancel();
}

/** Values that differ each time: times, and ids that a server creates. */
const VOLATILE = /^(\d\d:\d\d:\d\d|\d{4}-\d\d-\d\d|[0-9a-f]{8}-[0-9a-f-]{27})/;

/** Compares the first words of each printed line; the rest may differ each time. `…` stands for omitted lines. */
function compareLines(printed: string, actual: string): string[] {
  const beginsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => !['', '…'].includes(line.trim()))
      .map(beginOf);
  const actualBegins = new Set(beginsOf(actual));
  return beginsOf(printed)
    .filter((begin) => !actualBegins.has(begin))
    .map((begin) => `prints a line "${begin}", and there is none in:\n${actual}`);
}

function beginOf(line: string): string {
  const words = line.trim().split(/\s+/);
  const [first = '', second = ''] = words.map((word) => word.replace(VOLATILE, ''));
  return second.startsWith('{') ? first : `${first} ${second}`;
}
