// A process that drives a run under a lease, directed by the soak.
import { setTimeout as pause } from 'node:timers/promises';
import { Client, EVENTS } from './client.mjs';
import { checkpointText } from './events.mjs';

let client;
let order;

process.on('message', (message) => {
  order = message;
  client = new Client(message);
  const work = message.task === 'race' ? race() : drive();
  work.then(
    (found) => process.send({ found }, () => process.exit(0)),
    (error) => process.send({ failed: error.stack }, () => process.exit(1)),
  );
});

/** Claims repeatedly; with the lease it reports, then releases it. */
async function race() {
  const holder = `p${process.pid}`;
  const holds = [];
  let claims = 0;
  let refused = 0;
  while (claims < order.claims) {
    claims += 1;
    const answer = await claim(holder);
    if (answer.status === 409) {
      refused += 1;
      await pause(Math.random() * 20);
      continue;
    }
    if (answer.status !== 201) throw new Error(`claim: ${answer.status} ${answer.bytes}`);
    const { fence } = JSON.parse(answer.bytes.toString());
    const fromMs = now();
    const outcome = await report(fence, holds.length);
    await pause(Math.random() * 10);
    // Some hand the run over like a restarted process: at once, with a new fence.
    const last = Math.random() < 0.2 ? JSON.parse((await claim(holder, fence)).bytes.toString()).fence : fence;
    const stale = last === fence ? 'stale_fence' : await report(fence, holds.length);
    const toMs = now();
    const released = await client.send('DELETE', `${leasePath()}?fence=${last}`, null);
    holds.push({ holder, fence, last, fromMs, toMs, outcome, stale, released: released.status });
  }
  return { holds, claims, refused };
}

/** Reports step after step until its fence is refused, without ever renewing its lease. */
async function drive() {
  const answer = await claim('stopped');
  const { fence } = JSON.parse(answer.bytes.toString());
  const outcomes = [];
  for (let step = 0; outcomes.filter((outcome) => outcome !== 'saved').length < 20; step += 1) {
    outcomes.push(await report(fence, step));
    if (step === 3) process.send({ isUnderWay: true });
    await pause(order.isPaced ? 50 : 0);
  }
  return { outcomes };
}

function leasePath() {
  return `/v1/runners/threads/${order.threadId}/runs/${order.threadId}-run/lease`;
}

function claim(holder, fence) {
  return client.post(leasePath(), { holder, ttl_seconds: order.ttlSeconds, ...(fence && { fence }) });
}

/** @returns {Promise<string>} `saved`, or the code of the refusal */
async function report(fence, step) {
  const text = checkpointText(order.threadId, step, { agent_id: 'soak' });
  const answer = await client.post(EVENTS, `{"events":[${text.slice(0, -1)},"fence":${fence}}]}`);
  if (answer.status === 200) return 'saved';
  return JSON.parse(answer.bytes.toString()).rejected?.[0]?.code ?? String(answer.status);
}

/** Milliseconds of the monotonic clock, which all processes of the machine share. */
function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
