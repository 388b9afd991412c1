import { NoticeLooksService } from '../../../src/modules/notices/watching/notice-looks.service.js';
import { NoticeReceiver } from '../../fakes/notice-receiver.js';
import { newThreadId } from '../../factories/events.js';
import { testDialect } from '../../support/dialect.js';
import { claimed, settled } from '../../support/effects.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { createNotice, deliveriesOf } from '../../support/notices.js';
import { EVENTS, ok } from '../../support/recording.js';
import { freshStorage, siblingHome, type TestStorage } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

const clock = new MovableClock();
/** SQLite has one process. */
const SERVERS = testDialect() === 'postgres' ? 3 : 1;

let storage: TestStorage;
let receiver: NoticeReceiver;
let notice: { id: string };
const servers: InProcessApp[] = [];

beforeAll(async () => {
  storage = await freshStorage();
  receiver = await NoticeReceiver.start();
  for (let i = 0; i < SERVERS; i++) {
    const WAYSTATION_HOME = i === 0 ? storage.home : await siblingHome(storage);
    servers.push(await startApp({ clock, storage, env: { WAYSTATION_HOME } }));
  }
  notice = await createNotice(servers[0]!.api, receiver.url, {
    events: ['effect_in_doubt', 'agent_offline', 'agent_online'],
  });
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await receiver?.close();
  await storage?.dispose();
});

const look = () => Promise.all(servers.map(({ app }) => app.get(NoticeLooksService, { strict: false }).look()));

/** Lets time pass like the checks every 15 seconds. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 15) {
    clock.aheadMs += 15_000;
    await look();
  }
}

const told = async (about: string) => {
  await waitFor('all to be sent', async () => {
    return (await deliveriesOf(servers[0]!.api, notice.id, 'waiting')).length === 0;
  });
  const isAbout = (data: Record<string, unknown>) => data.thread_id === about || data.agent_id === about;
  return receiver.calls.filter(({ event }) => isAbout(event.data)).map(({ event }) => event.type);
};

const beat = async (agent_id: string) =>
  ok(await servers[0]!.api.post(EVENTS, { events: [{ type: 'heartbeat', data: { agent_id } }] }));

describe(`An effect in doubt, with ${SERVERS} servers`, () => {
  it('is told once, with its tool and without the arguments', async () => {
    const threadId = newThreadId();
    await claimed(servers[0]!.api, threadId, { doubt_after_seconds: 20 });
    await look();
    expect(await told(threadId)).toEqual([]);
    await pass(60);
    expect(await told(threadId)).toEqual(['effect_in_doubt']);
    const call = receiver.of(threadId)[0]!;
    expect(call.event.data).toMatchObject({
      trace_id: 'run-1',
      agent_id: 'support',
      key: 'refund:4711',
      tool: 'refund',
    });
    expect(call.body).not.toContain('"order"');
    await settled(servers[0]!.api, threadId, { outcome: 'not_done' });
    await claimed(servers[0]!.api, threadId, { doubt_after_seconds: 20 });
    await pass(60);
    expect(await told(threadId)).toEqual(['effect_in_doubt', 'effect_in_doubt']);
  });
});

describe('An agent', () => {
  it('that is silent for two minutes, and one that comes back, is told once', async () => {
    await beat('night');
    await pass(90);
    expect(await told('night')).toEqual([]);
    await pass(60);
    expect(await told('night')).toEqual(['agent_offline']);
    await pass(60);
    await beat('night');
    await look();
    expect(await told('night')).toEqual(['agent_offline', 'agent_online']);
    await pass(60);
    expect(await told('night')).toEqual(['agent_offline', 'agent_online']);
  });

  it('is not called silent by a server that was asleep', async () => {
    await beat('sleeper');
    clock.aheadMs += 3_600_000;
    await look();
    expect(await told('sleeper')).toEqual([]);
    await beat('sleeper');
    await pass(45);
    expect(await told('sleeper')).toEqual([]);
  });

  it('that was gone before the notice was created is not told to it', async () => {
    await beat('forgotten');
    clock.aheadMs += 15_000;
    const late = await createNotice(servers[0]!.api, receiver.url, { events: ['agent_offline'] });
    await pass(180);
    expect((await deliveriesOf(servers[0]!.api, late.id)).map(({ status }) => status)).toEqual([]);
    expect(await told('forgotten')).toEqual(['agent_offline']);
  });
});

describe('The thousandth started effect', () => {
  it('does not hide the doubt about a newer one', async () => {
    for (let from = 0; from < 1_000; from += 50) {
      const threads = Array.from({ length: 50 }, () => newThreadId());
      const claims = threads.map((id) => claimed(servers[0]!.api, id, { doubt_after_seconds: 3_600 }));
      await Promise.all(claims);
    }
    clock.aheadMs += 1_000;
    const threadId = newThreadId();
    await claimed(servers[0]!.api, threadId, { doubt_after_seconds: 20 });
    await pass(60);
    expect(await told(threadId)).toEqual(['effect_in_doubt']);
  });
});
