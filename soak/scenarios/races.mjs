import { waitingEvent } from '../support/events.mjs';
import { FaultList } from '../../bench/generator/fault-list.mjs';

const DECIDERS = 6;
const AT_ONCE = 4;

/** @type {import('./scenario.mjs').Scenario} */
export const races = {
  name: 'races',
  title: 'people decide the same approval at the same moment through different servers',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  await stage.startServers(stage.sizes.instances);
  const clients = stage.servers.map((server) => stage.client(server));
  const rounds = stage.isShort ? 20 : 400;
  stage.tried(`${rounds} approvals, ${DECIDERS} deciders each through ${clients.length} servers`);
  const faults = new FaultList();
  for (let round = 0; round < rounds; round += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, rounds - round) }, (_, n) => round + n);
    await Promise.all(numbers.map(async (number) => faults.add(await raceFault(clients, number))));
  }
  stage.expectNoFault('Exactly one decision wins, and every server tells of the same one.', faults, `${rounds} races`);
}

/** The fault in one race's outcome; null for none. */
async function raceFault(clients, number) {
  const [threadId, traceId] = [`race-${number}`, `race-run-${number}`];
  await clients[number % clients.length].record(waitingEvent(threadId, traceId, 1));
  const orders = Array.from({ length: DECIDERS }, (_, n) => [n % 2 === 0 ? 'approve' : 'reject', `person ${n}`]);
  const answers = await Promise.all(
    orders.map(([verb, person], n) =>
      clients[n % clients.length].post(`/approvals/${traceId}/1/${verb}`, { decided_by: person, reason: verb }),
    ),
  );
  const records = await Promise.all(clients.map((client) => client.json(`/approvals/${traceId}/1`)));
  const [winner] = records;
  if (new Set(records.map((record) => JSON.stringify(record))).size !== 1) return `${threadId}: the servers disagree`;
  if (!orders.some(([verb, person]) => verb === winner.reason && person === winner.decided_by))
    return `${threadId}: nobody decided "${winner.reason}" as ${winner.decided_by}`;
  const wanted = orders.map(([verb]) => (verb === winner.reason ? 200 : 409));
  const statuses = answers.map(({ status }) => status);
  if (statuses.join() !== wanted.join()) return `${threadId}: answered ${statuses}, not ${wanted}`;
  const latest = await Promise.all(clients.map((client) => client.json(`/v1/runners/threads/${threadId}/latest`)));
  const isTold = latest.every(
    ({ status, approval }) => status === winner.status && approval.decided_by === winner.decided_by,
  );
  return isTold ? null : `${threadId}: latest does not tell of the decision`;
}
