import { createHmac } from 'node:crypto';
import { DomainError } from '../../../src/common/domain-error.js';
import { freePort } from '../../support/free-port.js';
import { InProcessAgent } from '../../support/in-process-agent.js';
import { problemOf } from '../../support/problem.js';
import { StalledSenders } from '../../support/stalled-senders.js';
import { waitFor } from '../../support/wait.js';

let secondPort: number;
let agent: InProcessAgent;

const definition = () =>
  `
agents:
  support: { command: [node, agent.mjs] }
  "researcher/1": { command: [node, agent.mjs] }
triggers:
  - { type: webhook, endpoint: /run }
  - { type: webhook, endpoint: /über/uns }
  - { type: webhook, endpoint: /run, target_agent: researcher/1, port: ${secondPort} }
  - { type: webhook, endpoint: /secret, auth: { type: bearer, token: "\${TOKEN}" } }
  - { type: webhook, endpoint: /signed, auth: { type: hmac, secret: "\${SECRET}", header: X-Signature } }
`;

beforeAll(async () => {
  secondPort = await freePort();
  agent = await InProcessAgent.start(definition(), { TOKEN: 'the-token', SECRET: 'the secret' });
});
afterAll(() => agent.stop());
beforeEach(() => {
  agent.launcher.runs.length = 0;
  agent.launcher.refusal = null;
});

const requests = () => agent.launcher.runs.map(({ request }) => request);

describe('A webhook', () => {
  it('starts a run and answers with its id', async () => {
    const answer = await agent.api().post('/run', { message: 'Hello' });
    expect(answer.status).toBe(202);
    expect(answer.json()).toEqual({ run_id: 'run-1', thread_id: expect.any(String), status: 'started' });
    expect(requests()).toEqual([
      {
        ...{ agentName: 'support', message: 'Hello', threadId: null, context: null },
        ...{ source: 'webhook', idempotencyKey: null, requestDigest: expect.any(String) },
      },
    ]);
  });

  it('hands the context on as it was written, numbers beyond what JavaScript counts included', async () => {
    const context = '{ "chat": 9007199254740993, "x": 1.0, "é": [1e400], "a": {"b": "\\u00e9"} }';
    await agent.api().post('/run', `{"message": "Hello", "context": {"first": 1}, "context": ${context}}`);
    expect(agent.launcher.runs.at(-1)?.request.context).toBe(context);
  });

  it('hands thread and context on, and ignores what else a platform sends', async () => {
    const context = { user: { name: 'Ada' }, tags: [1, 'x'] };
    await agent.api().post('/run', { message: 'Hello', thread_id: 't/1', context, event: 'push' });
    await agent.api().post('/run', { message: 'Hello', thread_id: null, context: null });
    expect(requests()).toEqual([
      expect.objectContaining({ threadId: 't/1', context: JSON.stringify(context) }),
      expect.objectContaining({ threadId: null, context: null }),
    ]);
  });

  it('belongs to its port: the same path elsewhere starts another agent', async () => {
    expect((await agent.api(secondPort).post('/run', { message: 'Look' })).status).toBe(202);
    expect(requests()[0]).toMatchObject({ agentName: 'researcher/1' });
    problemOf(await agent.api(secondPort).post('/secret', { message: 'Look' }), 404);
  });

  it('is found with a final slash, a query and percent-encoding', async () => {
    for (const path of ['/run/', '/run?x=1', '/%72un', '/%C3%BCber/uns']) {
      expect((await agent.api().post(path, { message: 'Hello' })).status).toBe(202);
    }
  });

  it.each([
    [{}, 'message'],
    [{ message: null }, 'message'],
    [{ message: '' }, 'message'],
    [{ message: '  ' }, 'message'],
    [{ message: 7 }, 'message'],
    [{ message: ['x'] }, 'message'],
    [{ message: 'a\u0000b' }, 'message'],
    [{ message: 'x', thread_id: 7 }, 'thread_id'],
    [{ message: 'x', thread_id: '' }, 'thread_id'],
    [{ message: 'x', thread_id: '..' }, 'thread_id'],
    [{ message: 'x', thread_id: 'x'.repeat(513) }, 'thread_id'],
    [{ message: 'x', thread_id: 'a\u0085b' }, 'thread_id'],
    [{ message: 'x', thread_id: 'a\ud800' }, 'thread_id'],
    [{ message: 'x', context: 'text' }, 'context'],
    [{ message: 'x', context: [] }, 'context'],
    [[], 'body'],
  ])('refuses %j and names the field', async (body, field) => {
    const problem = problemOf(await agent.api().post('/run', body), 400);
    expect(problem.errors).toEqual([{ path: field, detail: expect.any(String) }]);
    expect(requests()).toEqual([]);
  });

  it.each(['', '{"message":', 'message', '"text"', 'null', Buffer.from([0x22, 0xff, 0x22])])(
    'refuses a body that is no JSON object',
    async (body) => {
      problemOf(await agent.api().post('/run', body), 400);
    },
  );

  it('refuses other content types, and bodies without one', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
      problemOf(await agent.api().post('/run', '{"message":"x"}', { headers: { 'content-type': type } }), 415);
    }
    const response = await fetch(`${agent.api().baseUrl}/run`, { method: 'POST', body: new Blob(['{"message":"x"}']) });
    expect(response.status).toBe(415);
    expect(requests()).toEqual([]);
  });

  it('takes a mebibyte and no more', async () => {
    const fits = 'x'.repeat(1024 * 1024 - '{"message":""}'.length);
    expect((await agent.api().post('/run', { message: fits })).status).toBe(202);
    problemOf(await agent.api().post('/run', { message: `${fits}x` }), 413);
  });

  it('answers other methods and paths as a web server does', async () => {
    const answer = await agent.api().get('/run');
    problemOf(answer, 405);
    expect(answer.headers.allow).toBe('POST');
    for (const path of ['/', '/run/more', '/threads', '/docs']) {
      problemOf(await agent.api().post(path, { message: 'x' }), 404);
    }
    problemOf(await agent.api().post('/%zz', { message: 'x' }), 400);
  });

  it('says when the agent takes no more, and when to come back', async () => {
    agent.launcher.refusal = new DomainError('rate_limited', 'queue_full', 'full', { retryAfterSeconds: 5 });
    const answer = await agent.api().post('/run', { message: 'Hello' });
    expect(problemOf(answer, 429).code).toBe('queue_full');
    expect(answer.headers['retry-after']).toBe('5');
  });

  it('answers a repeated request with the same run, each endpoint for itself', async () => {
    const headers = { 'idempotency-key': 'order 17' };
    const ids: unknown[] = [];
    for (let i = 0; i < 2; i++) ids.push((await agent.api().post('/run', { message: 'x' }, { headers })).json().run_id);
    ids.push((await agent.api(secondPort).post('/run', { message: 'x' }, { headers })).json().run_id);
    expect(ids).toEqual(['run-1', 'run-1', 'run-2']);
    const tooLong = { headers: { 'idempotency-key': 'x'.repeat(256) } };
    problemOf(await agent.api().post('/run', { message: 'x' }, tooLong), 400);
  });

  it('without proof of its caller is closed to web pages under made-up names', async () => {
    const headers = { host: 'rebound.example' };
    problemOf(await agent.api().post('/run', { message: 'x' }, { headers }), 403);
    const proven = { headers: { ...headers, authorization: 'Bearer the-token' } };
    expect((await agent.api().post('/secret', { message: 'x' }, proven)).status).toBe(202);
  });
});

describe('A webhook with auth', () => {
  it('lets in who has the token', async () => {
    for (const token of [null, 'wrong', 'the-token2']) {
      problemOf(await agent.api().post('/secret', { message: 'x' }, { token }), 401);
    }
    expect((await agent.api().post('/secret', { message: 'x' }, { token: 'the-token' })).status).toBe(202);
  });

  it('lets in who has signed the body, byte for byte', async () => {
    const body = '{ "message" : "x" }';
    const digestOf = (text: string, secret = 'the secret') => createHmac('sha256', secret).update(text).digest();
    const sign = (text: string, secret?: string) => `sha256=${digestOf(text, secret).toString('hex')}`;
    const send = (signature?: string) =>
      agent.api().post('/signed', body, { headers: signature === undefined ? {} : { 'x-signature': signature } });
    const wrong = [
      undefined,
      '',
      sign(body, 'another'),
      sign('{"message":"x"}'),
      `${sign(body)}0`,
      sign(body).slice(0, -2),
      sign(body).replace('=', ':'),
      `sha1=${sign(body).slice(7)}`,
      `sha256=sha256=${sign(body).slice(7)}`,
      `${digestOf(body).toString('base64')}A`,
      digestOf(`${body} `).toString('base64'),
      `sha256=${'='.repeat(44)}`,
    ];
    for (const signature of wrong) problemOf(await send(signature), 401);
    expect(requests()).toEqual([]);
    const [hex, base64] = [digestOf(body).toString('hex'), digestOf(body).toString('base64')];
    const texts = [hex, hex.toUpperCase(), base64, base64.replace('=', ''), digestOf(body).toString('base64url')];
    const right = texts.flatMap((text) => ['', 'sha256=', 'sha256= ', 'SHA256=\t'].map((prefix) => prefix + text));
    for (const signature of right) expect([signature, (await send(signature)).status]).toEqual([signature, 202]);
  });

  it('checks the signature before it says anything about the body', async () => {
    problemOf(await agent.api().post('/signed', '{"message":7}', { headers: { 'x-signature': 'sha256=00' } }), 401);
  });
});

describe('The address of an agent', () => {
  it('starts it for who has the token of this process', async () => {
    const headers = { authorization: `Bearer ${agent.invokeToken}`, 'idempotency-key': 'k' };
    for (const name of ['support', 'researcher/1']) {
      const { pathname } = new URL(`${agent.endpointOf(name)}/invoke`);
      expect((await agent.api().post(pathname, { message: 'x' }, { headers })).status).toBe(202);
      expect(requests().at(-1)).toMatchObject({ agentName: name, source: 'invoke' });
    }
    expect((await agent.api(secondPort).post('/invoke/researcher%2F1', { message: 'x' }, { headers })).status).toBe(
      202,
    );
    expect(requests()).toHaveLength(2);
  });

  it('takes the id that a run is to have, in a named thread', async () => {
    const post = (body: object) => agent.api().post('/invoke', body, { token: agent.invokeToken });
    await post({ message: 'x', thread_id: 't', run_id: 'message-1' });
    expect(requests().at(-1)).toMatchObject({ source: 'invoke', threadId: 't', runId: 'message-1' });
    await post({ message: 'x', thread_id: 't', run_id: 'r', retry_of: 'r' });
    expect(requests().at(-1)).toMatchObject({ source: 'retry', retryOf: 'r' });
    const faulty: [object, string][] = [
      [{ thread_id: 't', run_id: 7 }, 'run_id'],
      [{ thread_id: 't', run_id: '' }, 'run_id'],
      [{ thread_id: 't', run_id: '..' }, 'run_id'],
      [{ run_id: 'r' }, 'thread_id'],
      [{ thread_id: 't', run_id: 'r', retry_of: 's' }, 'run_id'],
    ];
    for (const [body, field] of faulty) {
      const { errors } = problemOf(await post({ message: 'x', ...body }), 400);
      expect(errors).toEqual([{ path: field, detail: expect.any(String) }]);
    }
    await agent.api().post('/run', { message: 'x', thread_id: 't', run_id: 'chosen by a stranger' });
    expect(requests().at(-1)).not.toHaveProperty('runId');
  });

  it('is closed to everybody else, whether there is such an agent or not', async () => {
    for (const path of ['/invoke', '/invoke/support', '/invoke/nobody', '/agents/nobody/invoke']) {
      for (const token of [null, 'wrong']) problemOf(await agent.api().post(path, { message: 'x' }, { token }), 401);
    }
    problemOf(await agent.api().post('/invoke/nobody', { message: 'x' }, { token: agent.invokeToken }), 404);
    expect(requests()).toEqual([]);
  });
});

describe('GET /health', () => {
  it('is answered on each port, under any name', async () => {
    for (const port of [0, secondPort]) {
      const answer = await agent.api(port).get('/health', { headers: { host: 'pod-7.internal' } });
      expect(answer.status).toBe(200);
      expect(answer.json()).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    }
    problemOf(await agent.api().post('/health', {}), 405);
  });
});

describe('Strangers who send without an end', () => {
  const large = { message: 'x'.repeat(1_000_000) };

  it.each(['/run', '/signed'])('to %s keep nobody out who has a token', async (path) => {
    const stalled = new StalledSenders(agent.api().baseUrl);
    const headers = { 'content-type': 'application/json' };
    const stall = () => stalled.open({ path, length: 1_000_000, headers });
    for (let i = 0; i < 40; i++) stall();
    try {
      await waitFor('strangers to be refused', async () => {
        const { status } = await agent.api().post('/run', large);
        // The last request may have taken the place of a stalled one.
        if (status !== 503) stall();
        return status === 503;
      });
      const known = await agent.api().post('/secret', large, { token: 'the-token' });
      expect(known.status).toBe(202);
      const invoked = await agent.api().post('/agents/support/invoke', large, { token: agent.invokeToken });
      expect(invoked.status).toBe(202);
      expect((await agent.api().post('/run', { message: 'small' })).status).toBe(202);
    } finally {
      stalled.close();
    }
  });
});
