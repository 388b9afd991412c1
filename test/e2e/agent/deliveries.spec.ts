import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createHmac } from 'node:crypto';
import { AgentRunner, endOf } from '../../support/agent-runner.js';
import { runCommand } from '../../support/command.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { ServerProcess } from '../../support/server-process.js';
import { waitFor } from '../../support/wait.js';

const SECRET = "It's a Secret to Everybody";
const KILLS = Number(process.env.WAYSTATION_TEST_KILLS ?? 4);
const DELIVERIES = 12;
const FILE = `
agents: { writer: { command: [sh, -c, 'touch ran.txt; echo "$WAYSTATION_MESSAGE"'], concurrency: 12 } }
triggers:
  - type: webhook
    endpoint: /github
    auth: { type: github, secret: "\${SECRET}" }
    when: { /action: opened }
    message: "{/issue/title}\\nby {/sender/login}"
    thread_id: "github:{/issue/number}"
`;

let storage: TestStorage;
let file: string;
let server: ServerProcess | null = null;
let agents: AgentRunner | null = null;

beforeEach(async () => {
  storage = await freshStorage('sqlite');
  file = path.join(storage.home, 'agents.yaml');
  await writeFile(file, FILE);
});
afterEach(async () => {
  await agents?.stop();
  await server?.stop();
  [agents, server] = [null, null];
  await storage.dispose();
});

function deliver(agents: AgentRunner, id: number) {
  const body = JSON.stringify({
    action: 'opened',
    issue: { number: id, title: `title-${id}` },
    sender: { login: 'kim' },
  });
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  return agents.post('github', JSON.parse(body) as object, {
    'X-GitHub-Event': 'issues',
    'X-GitHub-Delivery': `d-${id}`,
    'X-Hub-Signature-256': signature,
  });
}

describe('Deliveries that a service repeats', () => {
  it('start one run each, although the process is killed again and again', async () => {
    server = await ServerProcess.start(storage);
    const { address, api } = server;
    const start = () => AgentRunner.startFile(file, { storage, apiUrl: address!, env: { SECRET } });
    const runsOf = new Map<number, Set<string>>();
    agents = await start();
    /** Like a service: sends each delivery until it is accepted, then once more. */
    const sendAll = async () => {
      for (let id = 0; id < DELIVERIES; id++) {
        const answer = await deliver(agents!, id).catch(() => null);
        if (answer?.status !== 202) continue;
        runsOf.set(id, (runsOf.get(id) ?? new Set()).add(String(answer.json().run_id)));
      }
    };
    for (let kill = 0; kill < KILLS; kill++) {
      const sending = sendAll();
      const enough = Math.ceil(((kill + 1) * DELIVERIES) / KILLS) - 1;
      await waitFor('some deliveries to be taken', () => runsOf.size >= enough);
      await agents.kill();
      await sending;
      agents = await start();
    }
    await sendAll();
    await sendAll();
    expect([...runsOf.values()].map(({ size }) => size)).toEqual(Array.from({ length: DELIVERIES }, () => 1));
    for (const [id, [runId]] of runsOf) {
      const threadId = `github:${id}`;
      const detail = await endOf(api, threadId);
      const { status, run_list: runs } = detail as { status: string; run_list: { trace_id: string }[] };
      expect(status).toBe('completed');
      expect(runs.map((run) => run.trace_id)).toEqual([runId]);
    }
  });
});

describe('waystation agent --try', () => {
  const attempt = (...args: string[]) => runCommand(storage, ['agent', file, ...args], { SECRET });

  it('prints what a webhook makes of a request, and starts nothing', async () => {
    const payload = path.join(storage.home, 'payload.json');
    await writeFile(
      payload,
      '{"action":"opened","issue":{"number":9007199254740993,"title":"Odd"},"sender":{"login":"kim"}}',
    );
    const passed = await attempt('--try', '/github', payload, '-H', 'X-GitHub-Delivery: d-1');
    expect([passed.code, passed.stdout.split('\n').slice(0, 6)]).toEqual([
      0,
      [
        'filter    lets it pass',
        'starts    writer',
        'thread    github:9007199254740993',
        'delivery  d-1',
        'message   Odd',
        '          by kim',
      ],
    ]);
    await writeFile(payload, '{"action":"closed"}');
    const refused = await attempt('--try', '/github/', payload, '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({
      ...{ filter: 'ignores it because of `when`: /action', starts: 'nothing', thread: 'its own' },
    });
    await expect(readFile(path.join(storage.home, 'ran.txt'))).rejects.toThrow('ENOENT');
  });

  it('says what is wrong with its arguments', async () => {
    const faulty: [string[], RegExp][] = [
      [['--try', '/other'], /no webhook at \/other; it has \/github/],
      [['--try', '/github', 'nowhere.json'], /nowhere\.json cannot be read/],
      [['--try', '/github', file, '-H', 'no colon'], /-H no colon: must be "Name: value"/],
      [['--try', '/github', file], /not valid JSON/],
      [[file], /only --try takes a payload/],
    ];
    for (const [args, sentence] of faulty) {
      const { code, stdout, stderr } = await attempt(...args);
      expect([code, stdout]).toEqual([expect.any(Number), '']);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(sentence);
    }
  });
});
