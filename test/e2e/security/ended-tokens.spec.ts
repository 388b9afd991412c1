import { get, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { newRun, waiting } from '../../factories/waiting.js';
import type { ApiClient } from '../../support/api-client.js';
import { approvalOf, approvalPath } from '../../support/approvals.js';
import { EventStream } from '../../support/event-stream.js';
import { EVENTS, latestPath, ok, record, threadPath } from '../../support/recording.js';
import { problemOf } from '../../support/problem.js';
import { useSharedServer } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait.js';

/** How long a valid token is trusted while a response is being sent. */
const TRUST_MS = 1000;

const server = useSharedServer();

async function mint(fields: Record<string, unknown>): Promise<{ id: string; api: ApiClient }> {
  const { id, token } = (await server.api.post('/v1/tokens', fields)).json<{ id: string; token: string }>();
  return { id, api: server.api.as(token) };
}

async function revoke(id: string): Promise<void> {
  expect((await server.api.delete(`/v1/tokens/${id}`)).status).toBe(204);
}

/** Sends a request whose last byte is sent only after `meanwhile`. Returns status and text. */
async function sendSlowly(api: ApiClient, path: string, body: object, meanwhile: () => Promise<unknown>) {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const call = request(new URL(path, server.api.baseUrl), {
    method: 'POST',
    headers: api.headersFor({ headers: { ...headers, expect: '100-continue' } }),
    agent: false,
  });
  call.flushHeaders();
  // The server asks for the body once it has accepted the token.
  await new Promise<void>((resolve, reject) => {
    call.once('continue', resolve).once('error', reject);
    call.once('response', ({ statusCode }) => reject(new Error(`The body was not asked for: ${statusCode}`)));
  });
  call.write(bytes.subarray(0, -1));
  await meanwhile();
  call.end(bytes.subarray(-1));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
}

describe('A token that ends between the headers of a request and its last byte', () => {
  it('reports nothing, be it revoked or expired', async () => {
    for (const expiry of [{}, { expires_in_seconds: 5 }]) {
      const threadId = newThreadId();
      const { id, api } = await mint({ scope: 'runner', ...expiry });
      const end = () => ('expires_in_seconds' in expiry ? untilRefused(api) : revoke(id));
      const answer = await sendSlowly(api, EVENTS, { events: [checkpoint(threadId, 0)] }, end);
      expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('invalid_token')]);
      problemOf(await server.api.get(threadPath(threadId)), 404);
    }
  });

  it('decides nothing', async () => {
    const run = newRun();
    await record(server.api, waiting(run, 1));
    const { id, api } = await mint({ scope: 'approver' });
    const path = approvalPath(run.traceId, 1, '/approve');
    const answer = await sendSlowly(api, path, { reason: 'looks good' }, () => revoke(id));
    expect(answer.status).toBe(401);
    expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
  });

  it('that is good to the last byte is believed', async () => {
    const threadId = newThreadId();
    const { api } = await mint({ scope: 'runner' });
    const answer = await sendSlowly(api, EVENTS, { events: [checkpoint(threadId, 0)] }, async () => undefined);
    expect(answer.status).toBe(200);
    ok(await server.api.get(threadPath(threadId)));
  });
});

describe('A stream on the instance that revokes its token', () => {
  it('ends at once, and goes on for others', async () => {
    const { id, api } = await mint({ scope: 'reader' });
    const other = await mint({ scope: 'reader' });
    const path = '/v1/threads/stream';
    const [ended, kept] = [await EventStream.open(api, path), await EventStream.open(other.api, path)];
    const beganMs = performance.now();
    await revoke(id);
    await waitFor('its end', () => ended.isEnded);
    // The next ping, after 15 s, would end it too.
    expect(performance.now() - beganMs).toBeLessThan(12_000);
    const threadId = newThreadId('after-the-end');
    await record(server.api, checkpoint(threadId, 0));
    await kept.until('the news', ({ seen }) => seen.some(({ data }) => data.includes(threadId)));
    kept.close();
  });
});

describe('A long answer', () => {
  const threadId = newThreadId('long-answer');
  const text = 'lorem ipsum '.repeat(40_000);

  beforeAll(async () => {
    for (let step = 0; step < 40; step++) {
      await record(server.api, checkpoint(threadId, step, { history: [{ role: 'user', content: `${step} ${text}` }] }));
    }
    // Each of these checkpoints contains all messages again.
    const history = Array.from({ length: 40 }, (_, step) => ({ role: 'user', content: `${step} ${text}` }));
    for (let step = 40; step < 44; step++) await record(server.api, checkpoint(threadId, step, { history }));
  });

  it.each([
    ['the checkpoints', threadPath(threadId, '/checkpoints')],
    ['the detail', threadPath(threadId)],
    ['the latest checkpoint', latestPath(threadId)],
  ])('of %s is cut off once its token has ended, and goes on for others', async (_, path) => {
    const { id, api } = await mint({ scope: 'admin' });
    const [cut, whole] = [await Reading.begin(api, path), await Reading.begin(server.api, path)];
    await revoke(id);
    const endedMs = performance.now();
    await waitFor('the trust in the token to end', () => performance.now() - endedMs > TRUST_MS);
    expect(await cut.toEnd()).toBe('cut off');
    expect(await whole.toEnd()).toBe('whole');
  });
});

/** A response of which only the beginning was read. */
class Reading {
  private constructor(private readonly response: IncomingMessage) {}

  static async begin(api: ApiClient, path: string): Promise<Reading> {
    const call = get(new URL(path, server.api.baseUrl), {
      headers: api.headersFor(),
      agent: false,
    });
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.on('error', () => undefined); // its end shows that it was cut off
    return new Reading(response);
  }

  async toEnd(): Promise<'whole' | 'cut off'> {
    this.response.resume();
    await waitFor('its end', () => this.response.closed);
    return this.response.complete ? 'whole' : 'cut off';
  }
}

async function untilRefused(api: ApiClient): Promise<void> {
  await waitFor('the token to end', async () => (await api.get(threadPath('nowhere'))).status === 401);
}
