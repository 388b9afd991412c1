// How the saver handles an absent or refusing server: a fake one responds as each test says.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { ApiProblemError } from '@waystation/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WaystationSaver, resumeWhenDecided } from '../dist/esm/index.js';

const TOKEN = 'secret-token';
const CONFIG = { configurable: { thread_id: 'order-4711' } };
const UNKNOWN = { status: 404, type: 'application/problem+json', body: { code: 'state_not_found', detail: 'None.' } };
const ID = '0123456789abcdef'.repeat(2);
const PAGE = { type: 'text/html', body: `<html>authorization: Bearer ${TOKEN}</html>` };

let server;
/** Responds to a request; null breaks the connection. */
let answer;
beforeAll(async () => {
  server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function respond(request, response) {
  request.resume();
  const given = await answer(request);
  if (given === null) return request.socket.destroy();
  const { status = 200, type = 'application/json', body, etag } = given;
  response.writeHead(status, { 'content-type': type, ...(etag && { etag }) });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function saver(options) {
  return new WaystationSaver({ apiUrl: `http://127.0.0.1:${server.address().port}`, token: TOKEN, ...options });
}

/** Responds with one after the other; repeats the last one. */
function inTurn(...answers) {
  return () => (answers.length > 1 ? answers.shift() : answers[0]);
}

it.each([429, 502, 503, 504])('tries again after %i', async (status) => {
  answer = inTurn({ status, ...PAGE }, UNKNOWN);
  expect(await saver().getTuple(CONFIG)).toBeUndefined();
});

it('ends its patience', async () => {
  answer = () => ({ status: 503, ...PAGE });
  await expect(saver({ retries: 1 }).getTuple(CONFIG)).rejects.toMatchObject({ status: 503 });
});

it('is patient where an option is there without a value', async () => {
  answer = inTurn(...Array(4).fill({ status: 503, ...PAGE }), UNKNOWN);
  expect(await saver({ retries: undefined, totalTimeoutMs: undefined }).getTuple(CONFIG)).toBeUndefined();
});

it('takes no page that says 404 for a graph that has not begun', async () => {
  answer = () => ({ status: 404, ...PAGE });
  await expect(saver().getTuple(CONFIG)).rejects.toMatchObject({ status: 404 });
});

it.each([200, 403, 404, 502])('repeats nothing of a page that came with %i', async (status) => {
  answer = () => ({ status, ...PAGE });
  const error = await saver({ retries: 0 })
    .put(CONFIG, emptyCheckpoint(), { source: 'input', step: -1, parents: {} }, {})
    .catch((reason) => reason);
  expect(error.message).toContain(`${status}`);
  expect(`${error.stack} ${JSON.stringify(error)}`).not.toMatch(/html|Bearer|secret-token/);
});

it('says why the server refused', async () => {
  const problem = { code: 'agent_not_allowed', detail: 'The token is for other agents.', status: 403 };
  answer = () => ({ status: 403, type: 'application/problem+json', body: problem });
  const error = await saver({ retries: 0 })
    .getTuple(CONFIG)
    .catch((reason) => reason);
  expect(error).toBeInstanceOf(ApiProblemError);
  expect(error).toMatchObject({ message: problem.detail, code: problem.code, problem });
});

it('fails where the server takes the state, but nobody can be asked', async () => {
  const rejected = [{ index: 0, code: 'stale_fence', detail: 'Another process drives the run.' }];
  answer = ({ method, url }) => {
    if (method === 'GET') return { body: interrupted() };
    return url.includes('/state') ? { body: { digests: {} } } : { status: 207, body: { saved: 0, rejected } };
  };
  const graph = { checkpointer: saver(), invoke: ({ resume }) => Promise.resolve(resume) };
  const error = await resumeWhenDecided(graph, CONFIG).catch((reason) => reason);
  expect(error).toBeInstanceOf(ApiProblemError);
  expect(error).toMatchObject({ status: 207, code: 'stale_fence', message: rejected[0].detail });
});

it('waits for a decision however long the server is away', async () => {
  const call = { id: ID, args: { amount: 25 }, decision: null, edited_args: null };
  const approval = { status: 'approved', reason: null, decided_by: 'Ada', tool_calls: [call] };
  let polls = 0;
  answer = ({ method, url }) => {
    if (method === 'POST') return { body: { saved: 1, rejected: [] } };
    if (!url.includes('/latest')) return { body: interrupted() };
    polls += 1;
    if (polls === 1) return { etag: '"1"', body: { status: 'waiting_for_approval' } };
    if (polls < 5) return polls % 2 === 0 ? null : { status: 504, ...PAGE };
    return { body: { status: 'approved', approval } };
  };
  const graph = { checkpointer: saver({ retries: 0 }), invoke: ({ resume }) => Promise.resolve(resume) };
  const decision = { approved: true, reason: null, decidedBy: 'Ada', value: { amount: 25 } };
  expect(await resumeWhenDecided(graph, CONFIG)).toEqual({ [ID]: decision });
  expect(polls).toBe(5);
});

it('gives one decision to no two interrupts without ids', async () => {
  const tool_calls = ['a', 'b'].map((id) => ({ id, args: null, decision: id === 'a' ? 'approve' : 'reject' }));
  const approval = { status: 'approved', reason: null, decided_by: 'Ada', tool_calls };
  answer = ({ method, url }) => {
    if (method === 'POST') return { body: { saved: 1, rejected: [] } };
    return { body: url.includes('/latest') ? { status: 'approved', approval } : interrupted('a', 'b') };
  };
  const graph = { checkpointer: saver(), invoke: ({ resume }) => Promise.resolve(resume) };
  await expect(resumeWhenDecided(graph, CONFIG)).rejects.toThrow('An interrupt of the graph has no id');
});

/** The stored state of a graph with these interrupts. */
function interrupted(...ids) {
  const json = (value) => ({ type: 'json', data: Buffer.from(JSON.stringify(value)).toString('base64') });
  const checkpoint = emptyCheckpoint();
  const write = {
    task_id: 't1',
    channel: '__interrupt__',
    ...json((ids.length > 0 ? ids : [ID]).map((id) => ({ id, value: { amount: 25 } }))),
  };
  const place = { thread_id: 'order-4711', ns: '', checkpoint_id: checkpoint.id, parent_id: null };
  return { ...place, checkpoint: json(checkpoint), metadata: {}, values: {}, writes: [write] };
}
