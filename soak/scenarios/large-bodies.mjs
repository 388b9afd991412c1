import { setTimeout as pause } from 'node:timers/promises';
import { EVENTS } from '../support/client.mjs';

const LIMIT_MS = 200;
/** The short form runs beside other tests: it only detects a permanently blocked server. */
const SHORT_LIMIT_MS = 5000;
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
  const shapes = Object.entries(SHAPES).filter(([name]) => !stage.isShort || SHORT_SHAPES.has(name));
  const limitMs = stage.isShort ? SHORT_LIMIT_MS : LIMIT_MS;
  stage.tried(`bodies of 32 MiB in ${shapes.length} shapes, one after the other; /health every 5 ms`);
  for (const [name, body] of shapes) {
    const bytes = body(name.replaceAll(' ', '-'));
    let answer = null;
    const posted = sender.post(EVENTS, bytes).then((one) => (answer = one));
    let slowest = 0;
    while (answer === null) {
      slowest = Math.max(slowest, (await asker.get('/health')).ms);
      await pause(5);
    }
    await posted;
    const seen = `at most ${slowest.toFixed(0)} ms`;
    stage.expect(`/health answers within ${limitMs} ms beside ${name}.`, slowest < limitMs, seen);
    const { status, ms } = answer;
    stage.expect(`The body of ${name} is stored.`, status === 200, `${status} in ${(ms / 1000).toFixed(1)} s`);
  }
}

const SHAPES = {
  'one huge message': (id) => checkpointBody(id, [message('x'.repeat(BODY_BYTES - 300))]),
  'one huge message that is not ASCII': (id) => checkpointBody(id, [message('é'.repeat(BODY_BYTES / 2 - 300))]),
  'one huge message full of escapes': (id) => checkpointBody(id, [message('\\"\\n'.repeat(BODY_BYTES / 4 - 100))]),
  'very many small messages': (id) => checkpointBody(id, filled(200, message)),
  'messages of 32 KiB': (id) => checkpointBody(id, filled(32_000, message)),
  'a thousand events': (id) =>
    bodyOf(Array.from({ length: 990 }, (_, n) => checkpoint(`${id}-${n}`, [message('y'.repeat(33_000))]))),
  'deeply nested extra fields': (id) => bodyOf([ofType('checkpoint', id, `"extra":[${nested()}]`)]),
  'the same beside tool calls': (id) =>
    bodyOf([ofType('checkpoint', id, `"pending_tool_calls":[{"id":"c"}],"extra":[${nested()}],${FEATURES}`)]),
  'a huge note': (id) => bodyOf([ofType('our_note', id, `"said":"${'n'.repeat(BODY_BYTES - 300)}"`)]),
  'a huge error': (id) => bodyOf([ofType('thread_error', id, `"error":{"trace":"${'e'.repeat(BODY_BYTES - 300)}"}`)]),
};

const FEATURES = '"approval_features":["per_call"]';

const SHORT_SHAPES = new Set(['one huge message', 'very many small messages', 'the same beside tool calls']);

function nested() {
  return filled(600, (text) => `{"a":[1,2,{"b":"${text}"}]}`);
}

function ofType(type, id, member) {
  return `{"type":"${type}","data":{"thread_id":"${id}","trace_id":"run","agent_id":"soak",${member}}}`;
}

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
