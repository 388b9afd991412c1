import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../support/free-port.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
/** Takes two seconds on an idle machine; ten times that on a slow or busy one. */
const SOON_MS = 20_000;

const CLIENT = `
import { WaystationClient } from '${path.join(PROJECT, 'dist/client/waystation-client.js')}';
const client = new WaystationClient({ agentId: 'support' });
const run = await client.start({ thread_id: 'of-the-client' });
await client.latest('of-the-client');
await client.complete(run);
while (!(await client.flush()));
await client.close();
`;

let storage: TestStorage;
let url: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  storage = await freshStorage();
  url = `http://127.0.0.1:${await freePort()}`;
  await writeFile(path.join(storage.home, 'client.mjs'), CLIENT);
});
afterAll(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await storage.dispose();
});

interface Watched {
  readonly name: string;
  readonly lines: string[];
  /** From the start to the first line. */
  tookMs: number;
}

/** Starts a program and waits until it reports that the server is missing. One at a time: together they would slow each other down. */
async function spoken(name: string, program: string, args: readonly string[]): Promise<Watched> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...storage.env, WAYSTATION_API_URL: url, WAYSTATION_TOKEN: storage.secret };
  const beginMs = performance.now();
  const child = spawn(program, args, { cwd: PROJECT, env: { ...env, WAYSTATION_AGENT_PORT: '0' } });
  started.push(child);
  const watched = { name, lines: [] as string[], tookMs: Infinity };
  let text = '';
  const keep = (chunk: Buffer) => {
    text += chunk.toString('utf8');
    watched.lines.splice(0, Infinity, ...text.split('\n').filter((line) => /does not answer|answers again/.test(line)));
    if (watched.lines.length > 0) watched.tookMs = Math.min(watched.tookMs, performance.now() - beginMs);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  await waitFor(`${name} to say it`, () => watched.lines.length > 0);
  return watched;
}

describe('Without a server', () => {
  it('the client, the examples and the agent process say so soon and once, and say when it is there', async () => {
    const programs = [
      await spoken('client', process.execPath, [path.join(storage.home, 'client.mjs')]),
      await spoken('node example', process.execPath, ['examples/node-agent/main.mjs', 'of-node']),
      await spoken('python example', 'python3', ['examples/python-agent/agent.py', 'of-python']),
      await spoken('agent process', process.execPath, ['dist/cli.js', 'agent', 'examples/agents/agents.yaml']),
    ];
    for (const { name, tookMs } of programs) expect({ name, isSoon: tookMs < SOON_MS }).toEqual({ name, isSoon: true });
    const server = await ServerProcess.start(storage, { env: { WAYSTATION_PORT: new URL(url).port } });
    await waitFor('all to say that it is there', () => programs.every(({ lines }) => lines.length > 1));
    const told = programs.map(({ name, lines }) => ({ name, lines: [...lines] }));
    await server.stop();
    const lines = [`${url} does not answer; reports wait`, `${url} answers again`].map((line) =>
      expect.stringContaining(line),
    );
    expect(told).toEqual(programs.map(({ name }) => ({ name, lines })));
  });
});
