import { createHmac } from 'node:crypto';
import { InProcessAgent } from '../../support/in-process-agent.js';
import { problemOf } from '../../support/problem.js';

const DEFINITION = `
agents:
  support: { command: [node, agent.mjs] }
triggers:
  - type: webhook
    endpoint: /github
    auth: { type: github, secret: "\${SECRET}" }
    when: { "header:X-GitHub-Event": issues, /action: [opened, reopened] }
    unless: { /sender/type: Bot }
    message: "Issue {/issue/number}: {/issue/title}\\n\\n{/issue/body}"
    thread_id: "github:{/repository/full_name}#{/issue/number}"
  - type: webhook
    endpoint: /form
    auth: { type: token, header: X-Token, secret: "\${SECRET}", delivery_id: "{header:X-Id}" }
    message: "{/text}"
    thread_id: "{/thread}"
  - { type: webhook, endpoint: /slack, auth: { type: slack, secret: "\${SECRET}" }, message: "{/event/text}" }
  - { type: webhook, endpoint: /gitlab, auth: { type: gitlab, secret: "\${SECRET}" }, message: "{/object_kind}" }
  - { type: webhook, endpoint: /standard, auth: { type: standard, secret: "\${WHSEC}" }, message: "{/object_kind}" }
  - type: webhook
    endpoint: /releases
    auth: { type: token, header: X-Token, secret: "\${SECRET}" }
    when: { /version: [2.0, 007, 5] }
    message: "{/version}"
  - { type: webhook, endpoint: /open, message: "{/text}" }
  - { type: webhook, endpoint: /filtered, when: { /context/urgent: true, /late: null } }
`;
const SECRET = 'the secret';
const WHSEC = `whsec_${Buffer.from('the secret of signed hooks').toString('base64')}`;
const FORM = 'application/x-www-form-urlencoded';

let agent: InProcessAgent;

beforeAll(async () => {
  agent = await InProcessAgent.start(DEFINITION, { SECRET, WHSEC });
});
afterAll(() => agent.stop());
beforeEach(() => void (agent.launcher.runs.length = 0));

const requests = () => agent.launcher.runs.map(({ request }) => request);
const last = () => requests().at(-1)!;

/** The example of https://docs.github.com/en/webhooks/webhook-events-and-payloads#issues, abridged. */
const issue = (change: object = {}) => ({
  action: 'opened',
  issue: {
    number: 1,
    title: 'Spelling error in the README file',
    body: 'It looks like you accidentally spelled "commit".',
  },
  repository: { full_name: 'Codertocat/Hello-World' },
  sender: { login: 'Codertocat', type: 'User' },
  ...change,
});

function fromGithub(body: string, headers: Record<string, string> = {}) {
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const own = { 'x-github-event': 'issues', 'x-hub-signature-256': signature, 'user-agent': 'GitHub-Hookshot/044aadd' };
  return agent.api().post('/github', body, { headers: { 'content-type': 'application/json', ...own, ...headers } });
}

function toForm(body: string | object, headers: Record<string, string> = {}) {
  return agent.api().post('/form', body, { headers: { 'x-token': SECRET, ...headers } });
}

describe('A webhook of a service', () => {
  it('starts a run with what the file says, and hands the whole delivery on', async () => {
    const body = JSON.stringify(issue()).replace('"number":1', '"number" : 9007199254740993');
    const answer = await fromGithub(body, {
      'x-github-delivery': '72d3162e',
      cookie: 'a=b',
      authorization: 'Basic x',
      'cf-access-jwt-assertion': 'x',
      'x-functions-key': 'x',
    });
    expect(answer.status).toBe(202);
    const { message, threadId, context, source } = last();
    expect(message).toBe(
      'Issue 9007199254740993: Spelling error in the README file\n\nIt looks like you accidentally spelled "commit".',
    );
    expect([threadId, source]).toEqual(['github:Codertocat/Hello-World#9007199254740993', 'webhook']);
    expect(context).toContain(`"payload":${body}}`);
    const { headers, ...about } = JSON.parse(context!) as { headers: Record<string, string>; payload: object };
    expect(about).toMatchObject({ source: 'github', endpoint: '/github', delivery_id: '72d3162e' });
    expect(Object.keys(headers).sort()).toEqual(expect.arrayContaining(['user-agent', 'x-github-event']));
    expect(Object.keys(headers).join()).not.toMatch(/signature|cookie|authorization/);
  });

  it('hands 8 KiB of headers on, without those that go beyond it', async () => {
    const length = { 'x-first': 5_000, 'x-second': 4_000, 'x-third': 1_000 };
    const headers = Object.entries(length).map(([name, count]) => [name, 'x'.repeat(count)]);
    await fromGithub(JSON.stringify(issue()), Object.fromEntries(headers) as Record<string, string>);
    const { headers: shown } = JSON.parse(last().context!) as { headers: Record<string, string> };
    expect(Object.keys(shown).filter((name) => name in length)).toEqual(['x-first', 'x-third']);
    expect(Object.entries(shown).flat().join('').length).toBeLessThanOrEqual(8 * 1024);
  });

  it.each([
    ['filter', issue({ action: 'closed' }), {}],
    ['filter', issue({ sender: { type: 'Bot' } }), {}],
    ['filter', issue(), { 'x-github-event': 'issue_comment' }],
    ['ping', { zen: 'Design for failure.' }, { 'x-github-event': 'ping' }],
  ])('says that it ignores what the file does not ask for: %s', async (reason, body, headers) => {
    const answer = await fromGithub(JSON.stringify(body), headers);
    expect([answer.status, answer.json()]).toEqual([200, { status: 'ignored', reason }]);
    expect(requests()).toEqual([]);
  });

  it('ignores a delivery that leaves nothing to say', async () => {
    for (const body of [{ text: ' ' }, { text: null }, {}, []]) {
      const answer = await toForm(body);
      expect([answer.status, answer.json()]).toEqual([200, { status: 'ignored', reason: 'empty_message' }]);
    }
  });

  it('refuses a wrong signature before it looks at anything else', async () => {
    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    for (const body of ['{', JSON.stringify(issue())]) problemOf(await fromGithub(body, headers), 401);
    problemOf(await fromGithub('{'), 400);
    problemOf(await fromGithub(''), 400);
    expect(requests()).toEqual([]);
  });

  it('means one run by one delivery, however often it comes, each endpoint for itself', async () => {
    const ids: unknown[] = [];
    const again = { 'x-github-delivery': 'd-1', 'x-request-id': 'another' };
    for (const headers of [{ 'x-github-delivery': 'd-1' }, again]) {
      ids.push((await fromGithub(JSON.stringify(issue()), headers)).json().run_id);
    }
    ids.push((await toForm({ text: 'x' }, { 'x-id': 'd-1' })).json().run_id);
    ids.push((await toForm({ text: 'x' })).json().run_id, (await toForm({ text: 'x' })).json().run_id);
    expect(ids).toEqual(['run-1', 'run-1', 'run-2', 'run-3', 'run-4']);
    // A delivery has no digest of its request: a service that resends it may have changed headers.
    expect(requests()[0]).not.toHaveProperty('requestDigest');
  });

  it('takes the id of GitLab for that of its delivery, and a key of others for a key', async () => {
    const send = (path: string, key: string, body: object) =>
      agent
        .api()
        .post(path, body, { headers: { 'x-gitlab-token': SECRET, 'x-token': SECRET, 'idempotency-key': key } });
    await send('/gitlab', 'k', { object_kind: 'issue' });
    expect(JSON.parse(last().context!)).toMatchObject({ delivery_id: 'k' });
    expect(last()).not.toHaveProperty('requestDigest');
    await send('/form', 'k', { text: 'x' });
    expect(last().requestDigest).toEqual(expect.any(String));
    expect(requests()).toHaveLength(2);
  });

  it('takes the signed id for that of a delivery, although GitLab repeats it as a key', async () => {
    const [id, body, time] = ['d-7', '{"object_kind":"issue"}', String(Math.floor(Date.now() / 1000))];
    const key = Buffer.from(WHSEC.slice('whsec_'.length), 'base64');
    const signature = `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
    const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
    const own = { 'content-type': 'application/json', 'idempotency-key': id };
    expect((await agent.api().post('/standard', body, { headers: { ...headers, ...own } })).status).toBe(202);
    expect(JSON.parse(last().context!)).toMatchObject({ delivery_id: id });
    expect(last()).not.toHaveProperty('requestDigest');
  });

  it('compares numbers as they are written, too', async () => {
    const isTaken = async (version: unknown) => {
      const answer = await agent.api().post('/releases', { version }, { headers: { 'x-token': SECRET } });
      return answer.json().status === 'started';
    };
    for (const version of ['2.0', '2', 2, '007', '7', 5, '5'])
      expect([version, await isTaken(version)]).toEqual([version, true]);
    for (const version of ['2.00', '07', '5.0']) expect([version, await isTaken(version)]).toEqual([version, false]);
  });

  it('returns the challenge of Slack, if it is signed', async () => {
    const body = JSON.stringify({
      type: 'url_verification',
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    });
    const time = String(Math.floor(Date.now() / 1000));
    const sign = (key: string) => `v0=${createHmac('sha256', key).update(`v0:${time}:${body}`).digest('hex')}`;
    const send = (key: string) =>
      agent
        .api()
        .post('/slack', body, { headers: { 'x-slack-request-timestamp': time, 'x-slack-signature': sign(key) } });
    const answer = await send(SECRET);
    expect([answer.status, answer.json()]).toEqual([200, { challenge: JSON.parse(body).challenge }]);
    problemOf(await send('another'), 401);
  });

  it('opens a thread of its own where the file asks for a value that is not there', async () => {
    for (const thread of [undefined, null, '']) {
      await toForm({ text: 'x', thread });
      expect(last().threadId).toBeNull();
    }
  });

  it.each([
    ['a\nb\u0085', 'a%0Ab%C2%85'],
    ['channel:telegram:7', 'channel%3Atelegram:7'],
    ['..', '%2E%2E'],
    [7, '7'],
    ['ü'.repeat(512), 'ü'.repeat(512)],
    ['ü'.repeat(513), expect.stringMatching(/^ü{447}~[0-9a-f]{64}$/)],
  ])('makes an id of any value', async (thread, id) => {
    expect((await toForm({ text: 'x', thread })).status).toBe(202);
    expect(last().threadId).toEqual(id);
  });

  it('takes a mebibyte and no more', async () => {
    const fits = 'x'.repeat(1024 * 1024 - '{"text":""}'.length);
    expect((await toForm({ text: fits })).status).toBe(202);
    expect(last().message).toBe('x'.repeat(20_000));
    problemOf(await toForm({ text: `${fits}x` }), 413);
  });

  it('without `message` still filters, and takes the body at its word', async () => {
    const send = async (context: object, more: object = {}) =>
      (await agent.api().post('/filtered', { message: 'Go', thread_id: 't', context, ...more })).status;
    expect([
      await send({ urgent: true }),
      await send({ urgent: false }),
      await send({ urgent: true }, { late: 1 }),
    ]).toEqual([202, 200, 200]);
    expect(last()).toMatchObject({ message: 'Go', threadId: 't', context: '{"urgent":true}' });
  });
});

describe('A form', () => {
  it.each([
    ['payload=%7B%22text%22%3A%22a+b%22%2C%22n%22%3A9007199254740993%7D', 'a b', '{"text":"a b","n":9007199254740993}'],
    ['text=a+b%0A&n=1&n=2', 'a b\n', '{"text":"a b\\n","n":"2"}'],
    ['payload=x&text=y', 'y', '{"payload":"x","text":"y"}'],
  ])('is the JSON in its payload, or an object of texts: %s', async (body, message, payload) => {
    expect((await toForm(body, { 'content-type': FORM })).status).toBe(202);
    expect(last().message).toBe(message);
    expect(last().context).toContain(`"payload":${payload}}`);
  });

  it('whose payload is no JSON is refused', async () => {
    problemOf(await toForm('payload=x', { 'content-type': FORM }), 400);
  });

  it('from another origin starts nothing where nobody proves anything', async () => {
    const headers = { 'content-type': FORM, origin: 'https://evil.example' };
    for (const path of ['/open', '/filtered']) {
      problemOf(await agent.api().post(path, 'text=x&message=x', { headers }), 415);
    }
    problemOf(await agent.api().post('/form', 'text=x', { headers }), 401);
    expect(requests()).toEqual([]);
    expect((await agent.api().post('/open', { text: 'x' })).status).toBe(202);
  });
});
