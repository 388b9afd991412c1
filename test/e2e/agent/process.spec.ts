import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { AgentRunner } from '../../support/agent-runner.js';
import { runCommand, type CommandResult } from '../../support/command.js';
import { freePort } from '../../support/free-port.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

/** Nobody listens there: these tests must work without the API. */
const NO_API = 'http://127.0.0.1:9';
const AHEAD = path.resolve(import.meta.dirname, '../../support/clock-ahead.mjs');
/** How long before a full minute, by its own clock, the process starts. */
const BEFORE_MINUTE_MS = 6_000;
const NO_HOME = {
  NODE_OPTIONS: `--import=${path.resolve(import.meta.dirname, '../../support/no-home-directory.mjs')}`,
};
const EXAMPLES = path.resolve(import.meta.dirname, '../../../examples/agents');
const FILE = `
agents: { writer: { command: [sh, -c, "date +%s%3N >> fired.txt"] } }
triggers:
  - { type: schedule, cron: "* * * * *", message: tick }
  - { type: schedule, cron: "30 2 * * *", message: nightly, timezone: Europe/Berlin }
`;

let storage: TestStorage;
let file: string;

beforeEach(async () => {
  storage = await freshStorage('sqlite');
  file = path.join(storage.home, 'agents.yaml');
  await writeFile(file, FILE);
});
afterEach(() => storage.dispose());

function waystation(...args: string[]): Promise<CommandResult> {
  return runCommand(storage, ['agent', ...args], { WAYSTATION_API_URL: NO_API, WAYSTATION_LOG_LEVEL: 'error' });
}

describe('waystation agent', () => {
  it('refuses a faulty file with all its faults, before it listens', async () => {
    const port = await freePort();
    await writeFile(
      file,
      `agents: { a: {} }\ntriggers: [{ type: webhook, endpoint: run, port: ${port} }, { type: x }]`,
    );
    for (const args of [[file], [file, '--check'], [file, '--preview', '3']]) {
      const { code, stdout, stderr } = await waystation(...args);
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/agents\.a\.command: .*\n.*triggers\[0\]\.endpoint: .*\n.*triggers\[1\]\.type: /);
      expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
    }
  });

  it('refuses a file that is not there, and wrong arguments', async () => {
    for (const args of [['nowhere.yaml'], [], [file, '--preview', '0'], [file, '--preview', '1', '--from', 'noon']]) {
      const { code, stderr } = await waystation(...args);
      expect(code).toBe(2);
      expect(stderr).not.toMatch(/\bat .*\.js:\d+/);
    }
  });

  it('reads a file with a byte order mark, and refuses UTF-16 by name', async () => {
    await writeFile(file, `\ufeff${FILE}`);
    expect((await waystation(file, '--check')).code).toBe(0);
    for (const text of [FILE, `\ufeff${FILE}`]) {
      await writeFile(file, Buffer.from(text, 'utf16le'));
      const { code, stderr } = await waystation(file, '--check');
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/agents\.yaml.* is UTF-16 or binary; save it as UTF-8/s),
      ]);
    }
  });

  it.each([
    ['agent', 'agents.yaml'],
    ['serve', '--port=0'],
    ['threads', '--json'],
    ['ps', '--json'],
  ])('says in one sentence to a user without a home directory what %s needs', async (...args) => {
    const { code, stdout, stderr } = await runCommand(storage, args, { ...NO_HOME, WAYSTATION_HOME: '' });
    expect([code, stdout]).toEqual([2, '']);
    const rule = 'WAYSTATION_HOME: must name a folder: this user has no home directory';
    expect(stderr).toBe(`The configuration of Waystation is invalid:\n  ${rule}\n`);
  });

  it('says that a file is good, and starts nothing', async () => {
    for (const name of [file, path.join(EXAMPLES, 'agents.yaml')]) {
      const { code, stdout } = await waystation(name, '--check');
      expect(code).toBe(0);
      expect(stdout).toMatch(/valid/);
    }
  });

  it('prints the next firings in the order of the file', async () => {
    const { code, stdout } = await waystation(file, '--preview', '2', '--from', '2026-03-28T12:00:00Z', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        ...{ trigger: 'triggers[0]', cron: '* * * * *', timezone: 'UTC' },
        next: ['2026-03-28T12:01:00.000Z', '2026-03-28T12:02:00.000Z'],
      },
      {
        ...{ trigger: 'triggers[1]', cron: '30 2 * * *', timezone: 'Europe/Berlin' },
        next: ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
      },
    ]);
    const plain = await waystation(file, '--preview', '1', '--from', '2026-03-28T12:00:00Z');
    expect(plain.stdout).toMatch(/triggers\[1\].*\n.*\n.*2026-03-29T01:00:00\.000Z\s+Sun.*03:00/);
  });

  it('does not start on a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, stderr } = await waystation(file, '--port', String(port));
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${port}`);
  });
});

describe('An agent process', () => {
  const agents = { writer: { command: ['sh', '-c', 'echo done'] } };
  const start = () => AgentRunner.start({ storage, apiUrl: NO_API, agents });

  it('answers a repeated request with the same run after kill -9, and ends with 0 on SIGTERM', async () => {
    const post = (runner: AgentRunner) => runner.post('writer', { message: 'x' }, { 'idempotency-key': 'once' });
    const first = await start();
    const { run_id, thread_id } = (await post(first)).json();
    await first.kill();
    const second = await start();
    expect((await post(second)).json()).toEqual({ run_id, thread_id, status: 'started' });
    expect(await second.stop()).toBe(0);
  });

  it('in a container prints the addresses that people outside use', async () => {
    const file = path.join(storage.home, 'contained.yaml');
    const port = await freePort();
    await writeFile(file, 'agents: { a: { command: [cat] } }\ntriggers: [{ type: webhook, endpoint: /run }]');
    const env = { WAYSTATION_AGENT_PORT: String(port), WAYSTATION_AGENT_HOST: '0.0.0.0' };
    const outside = { WAYSTATION_OUTSIDE_PORTS: `${port}=9300`, WAYSTATION_OUTSIDE_API_URL: 'http://127.0.0.1:8001' };
    const runner = await AgentRunner.startFile(file, { storage, apiUrl: NO_API, env: { ...env, ...outside } });
    expect(runner.printed).toMatch(/POST http:\/\/127\.0\.0\.1:9300\/run starts a\n/);
    expect(runner.printed).toContain('health    http://127.0.0.1:9300/health\n');
    expect(runner.printed).toContain('reports   to http://127.0.0.1:8001\n');
    expect(runner.printed).not.toContain(String(port));
    expect(await runner.stop()).toBe(0);
    const { code, stderr } = await runCommand(storage, ['agent', file], { WAYSTATION_OUTSIDE_PORTS: '9100' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('WAYSTATION_OUTSIDE_PORTS')]);
  });

  it('runs for a user without a home directory, with WAYSTATION_HOME', async () => {
    const runner = await AgentRunner.start({ storage, apiUrl: NO_API, agents, env: NO_HOME });
    expect((await runner.post('writer', { message: 'x' })).status).toBe(202);
    expect(await runner.stop()).toBe(0);
  });

  it('is alone with its state: a second one on the same file is refused', async () => {
    const runner = await start();
    const { code, stderr } = await waystation(path.join(storage.home, 'agents', 'agents.json'), '--port', '0');
    expect(code).toBe(1);
    expect(stderr).toMatch(/Another process/);
    await runner.stop();
  });

  it('starts a scheduled run within two seconds of the minute', async () => {
    const delays: number[] = [];
    // A busy machine may be slow once; a process that checks too rarely is late almost every time.
    while (delays.length < 3 && !(Math.min(...delays) < 2000)) delays.push(await delayOfFiring(delays.length));
    expect(Math.min(...delays)).toBeLessThan(2000);
  });

  /** Milliseconds from the full minute to the program's start. Each attempt has its own state, in which nothing has fired yet. */
  async function delayOfFiring(attempt: number): Promise<number> {
    const aheadMs = 60_000 - ((Date.now() + BEFORE_MINUTE_MS) % 60_000);
    const env = {
      NODE_OPTIONS: `--import=${AHEAD}`,
      WAYSTATION_TEST_AHEAD_MS: String(aheadMs),
      WAYSTATION_STATE_DIR: path.join(storage.home, `state-${attempt}`),
    };
    const ticking = await AgentRunner.startFile(file, { storage, apiUrl: NO_API, env });
    const firings = path.join(storage.home, 'fired.txt');
    // The shell creates the file before the program writes into it.
    const firstLine = async () => /^(\d+)\n/.exec(await readFile(firings, 'utf8').catch(() => ''))?.[1];
    const fired = await waitFor('the minute to come', firstLine);
    await ticking.kill();
    await rm(firings);
    return (Number(fired) + aheadMs) % 60_000;
  }
});
