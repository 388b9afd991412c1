import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FaultList } from '../../bench/generator/fault-list.mjs';
import { EVENTS } from '../support/client.mjs';
import { checkpointText } from '../support/events.mjs';
import { until } from '../support/until.mjs';

const CLAIMANT = fileURLToPath(new URL('../support/lease-claimant.mjs', import.meta.url));
const RACED = 'leased';
const STOPPED = 'stopped';

/** @type {import('./scenario.mjs').Scenario} */
export const leases = {
  name: 'leases',
  title: 'many processes want to drive one run; one of them is stopped and comes back',
  databases: ['sqlite', 'postgres'],
  shortOn: ['postgres'],
  run,
};

async function run(stage) {
  await stage.startServers(stage.instances);
  await Promise.all([raceForOne(stage), comeBackLate(stage)]);
}

/** Many processes, all servers, one run. */
async function raceForOne(stage) {
  const [processes, claims] = stage.isShort ? [8, 50] : [50, 200];
  stage.tried(
    `${processes} processes claim one run ${processes * claims} times through ${stage.servers.length} servers`,
  );
  const children = Array.from({ length: processes }, (_, n) =>
    claimant(stage, n, { task: 'race', threadId: RACED, claims, ttlSeconds: 600 }),
  );
  const found = await Promise.all(children.map(({ ended }) => ended));
  const holds = found.flatMap((one) => one.holds).sort((a, b) => a.fromMs - b.fromMs);
  const refused = found.reduce((sum, one) => sum + one.refused, 0);
  const seen = `${holds.length} times somebody had it, ${refused} claims were refused`;
  stage.expect('Somebody gets the lease, and others are refused.', holds.length > 10 && refused > 10, seen);
  stage.expectNoFault('There are never two live holders, and no fence is given twice.', overlaps(holds), seen);
  const wrong = new FaultList();
  for (const { holder, outcome, stale, released } of holds) {
    if (outcome !== 'saved') wrong.add(`${holder}, which had the lease: ${outcome}`);
    if (stale !== 'stale_fence') wrong.add(`${holder} under the fence that it had handed over: ${stale}`);
    if (released !== 204) wrong.add(`${holder}: its release was answered ${released}`);
  }
  stage.expectNoFault('The holder reports and releases; a fence that was handed over counts no more.', wrong, seen);
}

function overlaps(holds) {
  const faults = new FaultList();
  const fences = holds.flatMap(({ fence, last }) => (fence === last ? [fence] : [fence, last]));
  if (new Set(fences).size !== fences.length) faults.add('a fence was given twice');
  holds.forEach((hold, n) => {
    const before = holds[n - 1];
    if (!before) return;
    if (hold.fromMs < before.toMs) faults.add(`${before.holder} and ${hold.holder} at the same time`);
    if (hold.fence <= before.last) faults.add(`the fence ${hold.fence} of ${hold.holder} after ${before.last}`);
  });
  return faults;
}

/** SIGSTOP to the holder until its lease has expired; another process takes the run over and ends it; SIGCONT. */
async function comeBackLate(stage) {
  const clients = stage.servers.map((server) => stage.client(server));
  const [client] = clients;
  const { child, ended, underWay } = claimant(stage, 0, {
    task: 'drive',
    threadId: STOPPED,
    isPaced: true,
    ttlSeconds: 5,
  });
  await underWay;
  child.kill('SIGSTOP');
  const path = `/v1/runners/threads/${STOPPED}/runs/${STOPPED}-run/lease`;
  await until('the lease to run out', async () => !(await client.json(path)).live, stage.patience(30_000));
  const taken = await clients.at(-1).post(path, { holder: 'heir' });
  if (taken.status !== 201) throw new Error(`The heir got no lease: ${taken.status} ${taken.bytes}`);
  const { fence } = JSON.parse(taken.bytes.toString());
  const steps = (await client.json(`/threads/${STOPPED}/checkpoints?history=none`)).items.length;
  await reported(client, `${checkpointText(STOPPED, steps).slice(0, -1)},"fence":${fence}}`);
  const data = { thread_id: STOPPED, trace_id: `${STOPPED}-run`, agent_id: 'soak' };
  await reported(client, JSON.stringify({ type: 'thread_completed', data, fence }));
  const before = await bytesOf(client);
  child.kill('SIGCONT');
  const { outcomes } = await ended;
  const late = outcomes.slice(outcomes.findIndex((outcome) => outcome !== 'saved'));
  const isRefused = late.length === 20 && late.every((outcome) => outcome === 'stale_fence');
  stage.expect(
    'What a stopped holder reports after another has taken its run over is refused, each event.',
    isRefused,
    `${late.length} late events: ${[...new Set(late)].join(', ')}`,
  );
  const after = await Promise.all(clients.map(bytesOf));
  const isSame = after.every((text) => text === before);
  stage.expect('Not a byte of the thread changes by it.', isSame, `${before.length} bytes through each server`);
}

async function reported(client, text) {
  const answer = await client.post(EVENTS, `{"events":[${text}]}`);
  if (answer.status !== 200) throw new Error(`The heir was refused: ${answer.status} ${answer.bytes}`);
}

async function bytesOf(client) {
  const parts = [`/threads/${STOPPED}`, `/threads/${STOPPED}/checkpoints`, `/v1/threads/${STOPPED}/export`];
  const answers = await Promise.all(parts.map((part) => client.get(part)));
  return answers.map(({ bytes }) => bytes.toString()).join('\n');
}

/** A separate process that uses one of the servers. @param {import('../support/stage.mjs').Stage} stage */
function claimant(stage, number, order) {
  const child = fork(CLAIMANT, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const forget = stage.cleanup.track(child.pid);
  let start;
  const underWay = new Promise((resolve) => (start = resolve));
  const ended = new Promise((resolve, reject) => {
    child.on('message', ({ found, failed, isUnderWay }) => {
      if (isUnderWay) start();
      else if (failed) reject(new Error(failed));
      else resolve(found);
    });
    child.once('exit', (code) => {
      forget();
      reject(new Error(`A claimant ended with ${code}.`));
    });
  });
  const { port } = stage.servers[number % stage.servers.length];
  child.send({ port, token: stage.token, ...order });
  return { child, ended, underWay };
}
