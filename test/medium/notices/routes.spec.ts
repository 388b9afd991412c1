import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { createNotice, noticeOf, NOTICES } from '../../support/notices.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';

const URL = 'https://example.com/hook?token=sesame';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

describe('A notice', () => {
  it('is created, shown without its secrets, changed and deleted', async () => {
    const { secret, ...notice } = await createNotice(server.api, URL, { agent_id: 'support' });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(notice).toMatchObject({ url: 'https://example.com/…', enabled: true, waiting: 0, agent_id: 'support' });
    expect(await noticeOf(server.api, notice.id)).toEqual(notice);
    const path = `${NOTICES}/${notice.id}`;
    const patch = { name: 'Night', events: ['run_failed'], agent_id: null, enabled: false };
    expect(ok(await server.api.send('PATCH', path, patch)).json()).toMatchObject(patch);
    const list = ok(await server.api.get(NOTICES));
    expect(list.text).not.toMatch(/sesame|whsec_/);
    expect(list.json<{ items: unknown[] }>().items).toEqual([expect.objectContaining({ id: notice.id, ...patch })]);
    expect((await server.api.delete(path)).status).toBe(204);
    problemOf(await server.api.get(path), 404);
  });

  it.each(['http://example.com/', 'https://10.0.0.1/', 'https://169.254.169.254/', 'https://u:sesame@example.com/'])(
    'does not go to %s',
    async (url) => {
      const refused = problemOf(await server.api.post(NOTICES, { name: 'x', url, events: ['run_failed'] }), 400);
      expect([refused.code, refused.errors?.[0]?.path]).toEqual(['url_not_allowed', 'url']);
      expect(JSON.stringify(refused)).not.toContain('sesame');
    },
  );

  it.each<[string, Record<string, unknown>, string]>([
    ['without a name', { name: undefined }, 'name'],
    ['with an empty name', { name: '' }, 'name'],
    ['with a name of two lines', { name: 'a\nb' }, 'name'],
    ['without a URL', { url: undefined }, 'url'],
    ['with a URL that is none', { url: 7 }, 'url'],
    ['without events', { events: [] }, 'events'],
    ['with an event that is none', { events: ['run_done'] }, 'events'],
    ['with an event that is no list', { events: 'run_failed' }, 'events'],
    ['with an agent that is none', { agent_id: 5 }, 'agent_id'],
    ['with an unknown member', { secret: 'mine' }, 'secret'],
  ])('is not created %s', async (_what, change, path) => {
    const body = { name: 'x', url: URL, events: ['run_failed'], ...change };
    expect(problemOf(await server.api.post(NOTICES, body), 400).errors?.[0]?.path).toMatch(new RegExp(`^${path}`));
  });

  it('is refused as the fifty-first', async () => {
    const order = { name: 'x', url: URL, events: ['run_failed'] };
    const answers = await Promise.all(Array.from({ length: 53 }, () => server.api.post(NOTICES, order)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 409).map((answer) => problemOf(answer, 409).code)).toEqual([
      ...Array<string>(3).fill('too_many_notices'),
    ]);
  });

  it.each(['none', 'a/b', '\u0000', 'x'.repeat(65)])('with the id %j does not exist', async (id) => {
    const path = `${NOTICES}/${encodeURIComponent(id)}`;
    problemOf(await server.api.get(path), 404);
    problemOf(await server.api.send('PATCH', path, { name: 'x' }), 404);
    problemOf(await server.api.delete(path), 404);
    problemOf(await server.api.post(`${path}/test`), 404);
    problemOf(await server.api.post(`${path}/secret`), 404);
    problemOf(await server.api.get(`${path}/deliveries`), 404);
    problemOf(await server.api.post(`${path}/deliveries/x/retry`), 404);
  });
});
