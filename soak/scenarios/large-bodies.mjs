import { setTimeout as pause } from 'node:timers/promises';
import { EVENTS } from '../support/client.mjs';

const LIMIT_MS = 200;
const BODY_BYTES = 32 * 1024 * 1024 - 1024;

/** @type {import('./scenario.mjs').Scenario} */
export const largeBodies = {
  name: 'large-bodies',
  title: 'bodies of 32 MiB, while somebody asks whether the server lives',
  databases: ['sqlite', 'postgres'],
  shortOn: ['sqlite'],
  run,
};

async function run(stage) {
  const server = await stage.startServer();
  const [sender, asker] = [stage.client(server), stage.client(server, { connections: 1 })];
  await asker.get('/health');
  const shapes = Object.entries(SHAPES);
  stage.tried(`bodies of 32 MiB in ${shapes.length} shapes, two of each at once; /health every 5 ms`);
  for (const [name, body] of shapes) {
    const bodies = [body(`${name.replaceAll(' ', '-')}-1`), body(`${name.replaceAll(' ', '-')}-2`)];
    let answers = null;
    const posted = Promise.all(bodies.map((bytes) => sender.post(EVENTS, bytes))).then((all) => (answers = all));
    let slowest = 0;
    while (answers === null) {
      slowest = Math.max(slowest, (await asker.get('/health')).ms);
      await pause(5);
    }
    await posted;
    const outcomes = answers.map(({ status, ms }) => `${status} in ${(ms / 1000).toFixed(1)} s`).join(', ');
    const isStored = answers.every(({ status }) => status === 200);
    stage.expect(
      `/health answers within ${LIMIT_MS} ms beside ${name}.`,
      slowest < LIMIT_MS,
      `at most ${slowest.toFixed(0)} ms`,
    );
    stage.expect(`The bodies of ${name} are stored.`, isStored, outcomes);
  }
}

const SHAPES = {
  'one huge message': (id) => checkpointBody(id, [message('x'.repeat(BODY_BYTES - 300))]),
  'very many small messages': (id) => checkpointBody(id, filled(200, message)),
  'messages of 32 KiB': (id) => checkpointBody(id, filled(32_000, message)),
  'a thousand events': (id) =>
    bodyOf(Array.from({ length: 990 }, (_, n) => checkpoint(`${id}-${n}`, [message('y'.repeat(33_000))]))),
  'deeply nested extra fields': (id) =>
    bodyOf([
      `{"type":"checkpoint","data":{"thread_id":"${id}","extra":[${filled(60, (text) => `{"a":[1,2,{"b":"${text}"}]}`)}]}}`,
    ]),
};

function filled(length, make) {
  const texts = [];
  for (let bytes = 0, n = 0; bytes < BODY_BYTES - 1000; n += 1) {
    const text = make(`${n} `.padEnd(length, 'z'));
    if (bytes + text.length + 1 > BODY_BYTES - 1000) break;
    bytes += text.length + 1;
    texts.push(text);
  }
  return texts;
}

function message(content) {
  return `{"role":"user","content":"${content}"}`;
}

function checkpoint(id, messages) {
  return `{"type":"checkpoint","data":{"thread_id":"${id}","trace_id":"run","agent_id":"soak","step_index":0,"history":[${messages.join(',')}]}}`;
}

function checkpointBody(id, messages) {
  return bodyOf([checkpoint(id, messages)]);
}

function bodyOf(events) {
  return Buffer.from(`{"events":[${events.join(',')}]}`);
}
