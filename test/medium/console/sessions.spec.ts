import { newRun, waiting } from '../../factories/waiting.js';
import { approvalOf, approvalPath } from '../../support/approvals.js';
import { useClockedApp } from '../../support/clocked-app.js';
import { ConsoleVisitor } from '../../support/console-visitor.js';
import { EventStream } from '../../support/event-stream.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS, latestPath, record, threadPath } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const app = useClockedApp();

const isIn = async (visitor: ConsoleVisitor) => (await visitor.get('/v1/console/session')).status === 200;

describe('A session', () => {
  let visitor: ConsoleVisitor;
  beforeAll(async () => {
    visitor = await ConsoleVisitor.signIn(app.api, { name: 'Ada' });
  });

  it('has a cookie that no script and no other site gets, without a time of its own', () => {
    const [header] = visitor.begun.headers['set-cookie']!;
    expect(header).toMatch(/^waystation_[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(visitor.begun.headers['cache-control']).toBe('no-store');
    expect(visitor.begun.text).not.toContain(visitor.cookie.split('=')[1]);
  });

  it('is opened by cookie and key together only', async () => {
    const other = await ConsoleVisitor.signIn(app.api);
    const refusals: [Record<string, string>, string][] = [
      [{ 'x-waystation-console': '' }, 'session_key_required'],
      [{ cookie: '' }, 'session_ended'],
      [{ cookie: 'session=1' }, 'session_ended'],
      [{ cookie: other.cookie }, 'session_ended'],
      [{ 'x-waystation-console': other.key }, 'session_ended'],
      [{ 'x-waystation-console': 'x'.repeat(43) }, 'session_ended'],
      [{ 'x-waystation-console': 'short' }, 'session_ended'],
      [{ cookie: visitor.cookie.replace('=', 'x='), 'x-waystation-console': visitor.key }, 'session_ended'],
    ];
    for (const [headers, code] of refusals) {
      for (const path of ['/threads', '/approvals/stream', '/v1/console/session']) {
        expect(problemOf(await visitor.get(path, headers), 401).code).toBe(code);
      }
    }
    expect(await isIn(visitor)).toBe(true);
  });

  it('survives cookies of the same name that another server on the machine has set', async () => {
    const [name] = visitor.cookie.split('=');
    const cookie = `other=1; ${name}=${'y'.repeat(43)}; ${visitor.cookie}`;
    expect((await visitor.get('/threads', { cookie })).status).toBe(200);
  });

  it('acts for no page but those of this server', async () => {
    const { port } = new URL(app.api.baseUrl);
    const run = newRun();
    await record(app.api, waiting(run, 1));
    const foreign: Record<string, string>[] = [
      { origin: 'http://127.0.0.1:1' },
      { origin: `http://localhost:${port}` },
      { origin: `https://127.0.0.1:${port}` },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      { host: 'evil.example' },
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    ];
    for (const headers of foreign) {
      problemOf(await visitor.get('/threads', headers), 403);
      problemOf(await visitor.post(approvalPath(run.traceId, 1, '/approve'), {}, headers), 403);
      problemOf(await visitor.delete(threadPath(run.threadId), headers), 403);
    }
    expect((await approvalOf(app.api, run, 1)).status).toBe('pending');
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/x-ndjson',
    ]) {
      problemOf(await visitor.post('/v1/threads/import', '{}', { 'content-type': type }), 415);
      problemOf(await visitor.post(approvalPath(run.traceId, 1, '/approve'), '{}', { 'content-type': type }), 415);
    }
    expect((await visitor.get('/threads', { origin: app.api.baseUrl })).headers).not.toHaveProperty(
      'access-control-allow-origin',
    );
  });

  it('leaves bearer tokens as they were, whatever else comes with them', async () => {
    const headers = { cookie: visitor.cookie, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await app.api.get('/threads', { headers })).status).toBe(200);
    problemOf(await app.api.get('/threads', { headers: { ...headers, authorization: 'Bearer wrong' } }), 401);
    expect(problemOf(await app.api.get('/v1/console/session'), 404).code).toBe('no_session');
    problemOf(await app.api.delete('/v1/console/session'), 404);
  });

  it('lets no browser keep what it reads', async () => {
    const run = newRun();
    await record(app.api, waiting(run, 1));
    for (const path of [
      '/threads',
      threadPath(run.threadId),
      latestPath(run.threadId),
      threadPath(run.threadId, '/checkpoints'),
    ]) {
      expect((await visitor.get(path)).headers['cache-control']).toBe('no-store');
    }
    expect((await app.api.get(latestPath(run.threadId))).headers['cache-control']).toBe('no-cache');
  });

  it('decides under its own name and no other', async () => {
    const [one, other] = [newRun(), newRun()];
    await record(app.api, waiting(one, 1), waiting(other, 1));
    expect((await visitor.post(approvalPath(one.traceId, 1, '/approve'), {})).status).toBe(200);
    expect(await approvalOf(app.api, one, 1)).toMatchObject({ decided_by: 'Ada', decided_through: 'console' });
    const forged = problemOf(await visitor.post(approvalPath(other.traceId, 1, '/reject'), { decided_by: 'Eve' }), 400);
    expect(forged.errors?.[0]?.path).toBe('decided_by');
    expect((await approvalOf(app.api, other, 1)).status).toBe('pending');
    const nameless = await ConsoleVisitor.signIn((await app.tokenOf('approver', { name: 'night shift' })).api);
    expect((await nameless.post(approvalPath(other.traceId, 1, '/reject'), {})).status).toBe(200);
    expect(await approvalOf(app.api, other, 1)).toMatchObject({ decided_by: 'night shift', status: 'rejected' });
  });

  it('ends twelve hours after its last use, which is noted seldom', async () => {
    const used = await ConsoleVisitor.signIn(app.api);
    const idle = await ConsoleVisitor.signIn(app.api);
    const lastUse = async () => {
      const { items } = (await app.api.get('/v1/console/sessions?limit=200')).json<{
        items: Record<string, string>[];
      }>();
      return items.find(({ id }) => id === used.session.id)?.last_used_at;
    };
    const first = await lastUse();
    await app.later(4 * MINUTE_MS, async () => {
      expect(await isIn(used)).toBe(true);
      expect(await lastUse()).toBe(first);
    });
    await app.later(11 * HOUR_MS, async () => {
      expect(await isIn(used)).toBe(true);
      await waitFor('the use to be noted', async () => (await lastUse()) !== first);
    });
    await app.later(12 * HOUR_MS + 1000, async () => {
      expect(problemOf(await idle.get('/threads'), 401).code).toBe('session_ended');
      expect(await isIn(used)).toBe(true);
    });
  });

  it('ends after seven days, however often it is used', async () => {
    const used = await ConsoleVisitor.signIn(app.api);
    const uses = Array.from({ length: 16 }, (_, at) => (at + 1) * 10 * HOUR_MS);
    for (const ms of uses) {
      await app.later(ms, async () => {
        expect(await isIn(used)).toBe(true);
        const noted = Date.now() + app.clock.laterMs - MINUTE_MS;
        await waitFor('the use to be noted', async () => {
          const found = (await used.get('/v1/console/session')).json<{ last_used_at: string }>();
          return Date.parse(found.last_used_at) >= noted;
        });
      });
    }
    await app.later(7 * 24 * HOUR_MS + 1000, async () => problemOf(await used.get('/threads'), 401));
  });

  it('ends with the token that made it, revoked or expired, and its stream with it', async () => {
    const { id, api: maker } = await app.tokenOf('reader');
    const { api: mortal } = await app.tokenOf('reader', { expires_in_seconds: 60 });
    const [revoked, expired] = [await ConsoleVisitor.signIn(maker), await ConsoleVisitor.signIn(mortal)];
    expect([await isIn(revoked), await isIn(expired)]).toEqual([true, true]);
    const headers = { cookie: revoked.cookie, 'x-waystation-console': revoked.key };
    const stream = await EventStream.open(app.api.as(null), '/v1/threads/stream', null, headers);
    expect(stream.response.headers['cache-control']).toBe('no-store, no-transform');
    await app.api.delete(`/v1/tokens/${id}`);
    expect(problemOf(await revoked.get('/threads'), 401).code).toBe('session_ended');
    await waitFor('the stream to end at an event', async () => {
      await record(app.api, waiting(newRun(), 1));
      return stream.isEnded;
    });
    await app.later(61_000, async () => problemOf(await expired.get('/threads'), 401));
  });

  it('ends when its holder signs out, or an admin ends it, and its cookie is removed', async () => {
    const [one, other] = [await ConsoleVisitor.signIn(app.api), await ConsoleVisitor.signIn(app.api)];
    const out = await one.delete('/v1/console/session');
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']?.[0]).toMatch(/^waystation_[0-9a-f]{8}=; Max-Age=0; Path=\//);
    problemOf(await one.get('/threads'), 401);
    problemOf(await one.delete('/v1/console/session'), 401);
    expect((await visitor.delete(`/v1/console/sessions/${other.session.id}`)).status).toBe(204);
    problemOf(await other.get('/threads'), 401);
    for (const id of [other.session.id, 'none', '%00']) {
      problemOf(await app.api.delete(`/v1/console/sessions/${id}`), 404);
    }
  });
});

describe('The scope of a session', () => {
  it('reader reads, and does nothing else', async () => {
    const reader = await ConsoleVisitor.signIn(app.api, { scope: 'reader' });
    const run = newRun();
    await record(app.api, waiting(run, 1));
    expect((await reader.get(threadPath(run.threadId))).status).toBe(200);
    for (const refused of [
      await reader.post(approvalPath(run.traceId, 1, '/approve'), {}),
      await reader.delete(threadPath(run.threadId)),
      await reader.post(EVENTS, { events: [waiting(run, 2)] }),
      await reader.post('/v1/tokens', { scope: 'reader' }),
      await reader.get('/v1/tokens'),
      await reader.get('/v1/console/sessions'),
      await reader.delete(`/v1/console/sessions/${reader.session.id}`),
    ]) {
      expect(problemOf(refused, 403).code).toBe('wrong_scope');
    }
  });

  it('reader of a token that is bound to agents sees no more than the token does', async () => {
    const { api: token } = await app.tokenOf('reader', { agent_ids: ['nobody-else'] });
    const bound = await ConsoleVisitor.signIn(token);
    const run = newRun();
    await record(app.api, waiting(run, 1));
    problemOf(await bound.get(threadPath(run.threadId)), 404);
    problemOf(await bound.get(latestPath(run.threadId)), 404);
    expect((await bound.get('/threads')).json()).toMatchObject({ items: [] });
    expect((await bound.get('/approvals')).json()).toMatchObject({ items: [] });
    problemOf(await bound.get('/v1/channels'), 403);
    expect(await isIn(bound)).toBe(true);
  });

  it('approver also reads what readers read, unlike a token of that scope', async () => {
    const { api: token } = await app.tokenOf('approver');
    const approver = await ConsoleVisitor.signIn(token);
    const run = newRun();
    await record(app.api, waiting(run, 1));
    for (const path of ['/threads', threadPath(run.threadId), latestPath(run.threadId), '/v1/agents', '/v1/channels']) {
      expect((await approver.get(path)).status).toBe(200);
    }
    problemOf(await token.get('/threads'), 403);
    expect((await approver.post(approvalPath(run.traceId, 1, '/approve'), {})).status).toBe(200);
    problemOf(await approver.delete(threadPath(run.threadId)), 403);
    problemOf(await approver.get('/v1/tokens'), 403);
  });

  it('admin does everything', async () => {
    const admin = await ConsoleVisitor.signIn(app.api);
    const run = newRun();
    await record(app.api, waiting(run, 1));
    expect((await admin.get('/v1/tokens')).status).toBe(200);
    expect((await admin.delete(threadPath(run.threadId))).status).toBe(204);
  });
});
