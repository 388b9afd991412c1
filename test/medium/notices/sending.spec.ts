import type { IncomingMessage, ServerResponse } from 'node:http';
import { Database } from '../../../src/database/database.js';
import { DeliveriesRetentionService } from '../../../src/modules/notices/deliveries/deliveries-retention.service.js';
import { isVerifiedWith, NoticeReceiver } from '../../fakes/notice-receiver.js';
import { completed, newThreadId, started } from '../../factories/events.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { createNotice, deliveriesOf, noticeOf, NOTICES, tried, type NoticeRecord } from '../../support/notices.js';
import { problemOf } from '../../support/problem.js';
import { ok, record } from '../../support/recording.js';
import { waitFor } from '../../support/wait.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const clock = new MovableClock();
let server: InProcessApp;
let receiver: NoticeReceiver;
let notice: NoticeRecord & { secret: string };

beforeAll(async () => {
  receiver = await NoticeReceiver.start();
  server = await startApp({ clock });
});
beforeEach(async () => {
  receiver.calls.length = 0;
  receiver.answer = (_request, response) => response.writeHead(204).end();
  notice = await createNotice(server.api, receiver.url);
});
afterEach(() => server.api.delete(`${NOTICES}/${notice.id}`));
afterAll(async () => {
  await server?.stop();
  await receiver?.close();
});

async function end(): Promise<string> {
  const id = newThreadId();
  await record(server.api, started(id), completed(id));
  return id;
}

const answering = (status: number, headers: Record<string, string> = {}, body = 'sorry') => {
  return (_request: IncomingMessage, response: ServerResponse) => response.writeHead(status, headers).end(body);
};
const attemptsWere = (count: number) => waitFor('the attempts', () => receiver.calls.length >= count);

describe('A receiver', () => {
  it('that fails is called again with the same id and bytes, until it answers 2xx', async () => {
    receiver.answer = answering(503);
    await end();
    const { next_attempt_at, ...first } = await tried(server.api, notice.id);
    expect(first).toMatchObject({ status: 'waiting', last_status: 503, last_answer: 'sorry' });
    expect(Date.parse(next_attempt_at!) - clock.nowMs()).toBeGreaterThan(3_000);
    expect(await noticeOf(server.api, notice.id)).toMatchObject({
      waiting: 1,
      last_error: 'the receiver answered 503',
    });
    receiver.answer = answering(200, {}, 'thanks');
    clock.aheadMs += 6_000;
    await attemptsWere(2);
    const [one, other] = receiver.calls;
    expect([other!.id, other!.body]).toEqual([one!.id, one!.body]);
    expect(Number(other!.timestamp)).toBeGreaterThan(Number(one!.timestamp));
    expect(isVerifiedWith(notice.secret, other!, clock.nowMs())).toBe(true);
    expect(await tried(server.api, notice.id, 2)).toMatchObject({ status: 'delivered', last_answer: 'thanks' });
    await waitFor('no error', async () => (await noticeOf(server.api, notice.id)).last_error === null);
  });

  it('is not called before the time that it asked for, up to an hour', async () => {
    receiver.answer = answering(429, { 'retry-after': '86400' });
    await end();
    const { next_attempt_at } = await tried(server.api, notice.id);
    const waitMs = Date.parse(next_attempt_at!) - clock.nowMs();
    expect([waitMs > HOUR_MS - 60_000, waitMs <= HOUR_MS]).toEqual([true, true]);
  });

  it('that redirects is not followed', async () => {
    receiver.answer = answering(302, { location: `${receiver.url}/elsewhere` });
    await end();
    expect(await tried(server.api, notice.id)).toMatchObject({ status: 'waiting', last_status: 302 });
    expect(receiver.calls).toHaveLength(1);
  });

  it('that switches protocols instead of answering has failed, and is tried again', async () => {
    receiver.answer = (_request, response) =>
      void response.socket!.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    await end();
    expect(await tried(server.api, notice.id)).toMatchObject({ status: 'waiting' });
  });

  it('that sends 64 MB is cut off, and its beginning kept', async () => {
    let sent = 0;
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(64 * 1024, 'x');
      const pour = () => {
        while (sent < 1024 && !response.destroyed && response.write(piece)) sent += 1;
        if (sent >= 1024) response.end();
        else if (!response.destroyed) response.once('drain', () => ((sent += 1), pour()));
      };
      pour();
    };
    await end();
    expect(await tried(server.api, notice.id)).toMatchObject({ status: 'delivered', last_answer: 'x'.repeat(1024) });
    expect(sent).toBeLessThan(1024);
  });

  it('that answers at length is seen by its first KiB, whatever it is written in', async () => {
    receiver.answer = answering(200, {}, `x${'ä'.repeat(600)}`);
    await end();
    expect((await tried(server.api, notice.id)).last_answer).toBe(`x${'ä'.repeat(511)}`);
  });

  it('that is slow gets five calls at a time', async () => {
    const held: ServerResponse[] = [];
    let most = 0;
    receiver.answer = (_request, response) => void (most = Math.max(most, held.push(response)));
    const other = await NoticeReceiver.start();
    const prompt = await createNotice(server.api, other.url);
    const ids = await Promise.all(Array.from({ length: 12 }, () => end()));
    await waitFor('the other to hear all', () => ids.every((id) => other.of(id).length > 0));
    for (let left = ids.length; left > 0; left--) {
      await waitFor('the calls', () => held.length >= Math.min(5, left));
      held.shift()!.writeHead(204).end();
    }
    expect(most).toBe(5);
    await waitFor('all', async () => (await deliveriesOf(server.api, notice.id, 'delivered')).length === ids.length);
    await server.api.delete(`${NOTICES}/${prompt.id}`);
    await other.close();
  });

  it('that hangs is given up after 15 seconds, and holds up nobody else', async () => {
    receiver.answer = () => undefined;
    const other = await NoticeReceiver.start();
    const prompt = await createNotice(server.api, other.url);
    const id = await end();
    await waitFor('the other', () => other.of(id).length > 0);
    expect(await tried(server.api, notice.id)).toMatchObject({
      ...{ status: 'waiting', last_status: null, last_error: 'no complete response arrived within 15 seconds' },
    });
    await server.api.delete(`${NOTICES}/${prompt.id}`);
    await other.close();
  });

  it('that is not there is named without its address', async () => {
    const { port } = receiver;
    await receiver.close();
    await end();
    const { last_error } = await tried(server.api, notice.id);
    expect(last_error).toBe('the connection failed (ECONNREFUSED)');
    receiver = await NoticeReceiver.start(port);
  });

  it('that is gone gets nothing more until somebody enables the notice again', async () => {
    receiver.answer = answering(410);
    await end();
    await waitFor('it to be disabled', async () => !(await noticeOf(server.api, notice.id)).enabled);
    expect(await noticeOf(server.api, notice.id)).toMatchObject({ disabled_reason: 'the receiver answered 410 Gone' });
    await end();
    expect(await deliveriesOf(server.api, notice.id)).toEqual([expect.objectContaining({ status: 'failed' })]);
    receiver.answer = answering(204);
    const enabled = ok(
      await server.api.send('PATCH', `${NOTICES}/${notice.id}`, { enabled: true }),
    ).json<NoticeRecord>();
    expect(enabled).toMatchObject({ enabled: true, disabled_reason: null });
    const id = await end();
    await waitFor('the news', () => receiver.of(id).length > 0);
  });

  it('that fails for three days disables its notice; what waits goes on when it is enabled again', async () => {
    receiver.answer = answering(500);
    const id = await end();
    await tried(server.api, notice.id);
    clock.aheadMs += 3 * DAY_MS + HOUR_MS;
    await waitFor('it to be disabled', async () => !(await noticeOf(server.api, notice.id)).enabled);
    const { disabled_reason } = await noticeOf(server.api, notice.id);
    expect(disabled_reason).toBe('no delivery has succeeded for 3 days');
    receiver.answer = answering(204);
    await server.api.send('PATCH', `${NOTICES}/${notice.id}`, { enabled: true });
    await waitFor('it to arrive', async () => (await deliveriesOf(server.api, notice.id, 'delivered')).length === 1);
    expect(receiver.of(id).length).toBe(3);
  });

  it('that works again gets what waits as soon as its notice is enabled again', async () => {
    receiver.answer = answering(500);
    const id = await end();
    await tried(server.api, notice.id);
    clock.aheadMs += 6_000;
    // The next attempt is five minutes away.
    await tried(server.api, notice.id, 2);
    receiver.answer = answering(204);
    for (const enabled of [false, true]) await server.api.send('PATCH', `${NOTICES}/${notice.id}`, { enabled });
    await waitFor('it to arrive', async () => (await deliveriesOf(server.api, notice.id, 'delivered')).length === 1);
    expect(receiver.of(id)).toHaveLength(3);
  });

  it('that answers one of several calls well ends the error of another, whichever call began first', async () => {
    const held: ServerResponse[] = [];
    receiver.answer = (_request, response) => void held.push(response);
    await Promise.all([end(), end()]);
    await waitFor('both calls', () => held.length === 2);
    const errorIs = (error: string | null) =>
      waitFor(String(error), async () => (await noticeOf(server.api, notice.id)).last_error === error);
    held[0]!.writeHead(503).end();
    await errorIs('the receiver answered 503');
    held[1]!.writeHead(204).end();
    await errorIs(null);
  });

  it('that has moved does not disable the notice by an answer from where it was', async () => {
    const held: ServerResponse[] = [];
    const before = await NoticeReceiver.start();
    before.answer = (_request, response) => void held.push(response);
    await server.api.send('PATCH', `${NOTICES}/${notice.id}`, { url: before.url });
    await end();
    await waitFor('the call', () => held.length === 1);
    await server.api.send('PATCH', `${NOTICES}/${notice.id}`, { url: receiver.url });
    held[0]!.writeHead(410).end();
    expect(await tried(server.api, notice.id)).toMatchObject({ status: 'waiting', last_status: 410 });
    expect(await noticeOf(server.api, notice.id)).toMatchObject({ enabled: true, last_error: null });
    clock.aheadMs += 6_000;
    await attemptsWere(1);
    await before.close();
  });

  it('that was repaired is shown without the error of before: enabled again, with another URL, or with another secret', async () => {
    receiver.answer = answering(410);
    await end();
    await waitFor('it to be disabled', async () => !(await noticeOf(server.api, notice.id)).enabled);
    expect((await noticeOf(server.api, notice.id)).last_error).toBe('the receiver answered 410');
    const repaired = { last_error: null, failing_since: null };
    const path = `${NOTICES}/${notice.id}`;
    expect(ok(await server.api.send('PATCH', path, { enabled: true })).json()).toMatchObject(repaired);
    const failAgain = async () => {
      receiver.answer = answering(503);
      const nowMs = clock.nowMs();
      await end();
      const { failing_since: since } = await waitFor('the error', async () => {
        const found = await noticeOf(server.api, notice.id);
        return found.last_error !== null && found;
      });
      expect(Math.abs(Date.parse(since!) - nowMs)).toBeLessThan(60_000);
    };
    await failAgain();
    expect(ok(await server.api.send('PATCH', path, { name: 'Other' })).json()).not.toMatchObject(repaired);
    expect(ok(await server.api.send('PATCH', path, { url: `${receiver.url}/new` })).json()).toMatchObject(repaired);
    await failAgain();
    ok(await server.api.post(`${path}/secret`));
    expect(await noticeOf(server.api, notice.id)).toMatchObject(repaired);
    await failAgain();
    receiver.answer = answering(204);
    expect(ok(await server.api.post(`${path}/test`)).json()).toMatchObject({ delivered: true });
    expect(await noticeOf(server.api, notice.id)).toMatchObject(repaired);
  });

  it('of a notice that was deleted gets nothing more', async () => {
    receiver.answer = answering(503);
    await end();
    await tried(server.api, notice.id);
    await server.api.delete(`${NOTICES}/${notice.id}`);
    notice = await createNotice(server.api, receiver.url);
    receiver.answer = answering(204);
    clock.aheadMs += DAY_MS;
    const id = await end();
    await waitFor('the news', () => receiver.of(id).length > 0);
    expect(receiver.calls).toHaveLength(2);
  });
});

describe('Deliveries', () => {
  const store = (count: number, status = 'waiting') =>
    server.app.get(Database).transaction((session) =>
      session.execute(
        Array.from(
          { length: count },
          (_, i) =>
            `INSERT INTO notice_delivery (notice_id, id, type, body, status, attempts, next_at, created_at, updated_at)
             VALUES ('${notice.id}', 'msg_${i}', 'run_failed', '{}', '${status}', 0, ${clock.nowMs() + DAY_MS}, ${clock.nowMs()}, 0);`,
        ).join('\n'),
      ),
    );

  it('that were given up are sent again when a person asks for it', async () => {
    await store(1, 'failed');
    const path = `${NOTICES}/${notice.id}/deliveries`;
    expect(ok(await server.api.post(`${path}/msg_0/retry`)).json()).toMatchObject({ id: 'msg_0', status: 'waiting' });
    await attemptsWere(1);
    expect(receiver.calls[0]).toMatchObject({ id: 'msg_0', body: '{}' });
    await waitFor('it to be noted', async () => (await deliveriesOf(server.api, notice.id))[0]!.status === 'delivered');
    expect(problemOf(await server.api.post(`${path}/msg_0/retry`), 409).code).toBe('not_retryable');
    expect(problemOf(await server.api.post(`${path}/none/retry`), 404).code).toBe('delivery_not_found');
  });

  it('beyond ten thousand that wait are dropped', async () => {
    await store(10_000);
    receiver.answer = answering(503);
    await end();
    const [dropped] = await waitFor('it to be dropped', async () => {
      const found = await deliveriesOf(server.api, notice.id, 'dropped');
      return found.length > 0 && found;
    });
    expect(dropped).toMatchObject({ type: 'run_completed', attempts: 0 });
    expect(await noticeOf(server.api, notice.id)).toMatchObject({ waiting: 10_000 });
  });

  it('are forgotten after 30 days', async () => {
    await store(1, 'delivered');
    const retention = server.app.get(DeliveriesRetentionService, { strict: false });
    clock.aheadMs += 29 * DAY_MS;
    await retention.prune();
    expect(await deliveriesOf(server.api, notice.id)).toHaveLength(1);
    clock.aheadMs += 2 * DAY_MS;
    await retention.prune();
    expect(await deliveriesOf(server.api, notice.id)).toEqual([]);
  });
});
