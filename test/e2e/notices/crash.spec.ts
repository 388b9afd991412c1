import path from 'node:path';
import { NoticeReceiverProcess } from '../../fakes/notice-receiver-process.js';
import { completed, failed, newThreadId, started, type RunnerEvent } from '../../factories/events.js';
import { createNotice, noticeOf, NOTICES } from '../../support/notices.js';
import { EVENTS } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';
import { waitFor } from '../../support/wait.js';

/** More with `WAYSTATION_TEST_KILLS`. */
const ROUNDS = Number(process.env.WAYSTATION_TEST_KILLS ?? 4);
/** Milliseconds for a round on a machine busy with other tests. */
const ROUND_LIMIT_MS = 30_000;
const RUNS = 12;
const LEASE = { WAYSTATION_LEASE_SECONDS: '2' };

let storage: TestStorage;
let receiver: NoticeReceiverProcess;
let server: ServerProcess | null = null;

beforeEach(async () => {
  storage = await freshStorage();
  receiver = await NoticeReceiverProcess.start(path.join(storage.home, 'heard.jsonl'));
});
afterEach(async () => {
  await server?.stop();
  server = null;
  await receiver?.kill();
  await storage?.dispose();
});

const start = async () => (server = await ServerProcess.start(storage, { env: LEASE }));

/** Reports a run as clients do, once more after a crash. @returns whether it was acknowledged */
async function report(events: readonly RunnerEvent[]): Promise<boolean> {
  const answer = await server!.api.post(EVENTS, { events }).catch(() => undefined);
  return answer?.status === 200;
}

/** The victims in turn: the receiver too, before it responds, afterwards, or while it is called. */
const VICTIMS = [
  { isServer: true, isReceiver: false },
  { isServer: false, isReceiver: true },
  { isServer: true, isReceiver: true },
];

describe('kill -9 of the server and of the receiver', () => {
  it(
    'tells each end of a run under one id, and none of a replay',
    async () => {
      await start();
      const { id } = await createNotice(server!.api, receiver.url, { events: ['run_completed', 'run_failed'] });
      const told = new Map<string, string>();
      const allArrived = () =>
        waitFor('everything to arrive', async () => (await noticeOf(server!.api, id)).waiting === 0);
      for (let round = 0; round < ROUNDS; round++) {
        const runs = Array.from({ length: RUNS }, (_, i) => {
          const threadId = newThreadId(`round-${round}`);
          const end = i % 3 === 0 ? failed(threadId) : completed(threadId);
          told.set(threadId, i % 3 === 0 ? 'run_failed' : 'run_completed');
          return [started(threadId), end].map((event, at) => ({ ...event, id: `${threadId}-${at}` }));
        });
        const before = receiver.calls.length;
        const answers = Promise.all(runs.map(report));
        // A little later in each round: recorded, committed, called, stored.
        await waitFor('some of it', () => receiver.calls.length >= before + (round % RUNS));
        const { isServer, isReceiver } = VICTIMS[round % VICTIMS.length]!;
        await Promise.all([isServer ? server!.kill() : undefined, isReceiver ? receiver.kill() : undefined]);
        await answers;
        await Promise.all([isServer ? start() : undefined, isReceiver ? receiver.start() : undefined]);
        for (const events of runs) await waitFor('the report', () => report(events));
        // No second failure, which would wait for minutes.
        if (isReceiver) await allArrived();
      }
      await allArrived();
      const ids = new Map<string, Set<string>>();
      for (const { id: callId, event } of receiver.calls) {
        const threadId = String(event.data.thread_id);
        expect(event.type).toBe(told.get(threadId));
        ids.set(threadId, (ids.get(threadId) ?? new Set()).add(callId));
      }
      console.info(JSON.stringify({ rounds: ROUNDS, endings: told.size, calls: receiver.calls.length }));
      expect([...ids.keys()].sort()).toEqual([...told.keys()].sort());
      expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
      const delivered = await server!.api.get(`${NOTICES}/${id}/deliveries?status=delivered&limit=1&count=true`);
      expect(delivered.json<{ total: number }>().total).toBe(told.size);
    },
    300_000 + ROUNDS * ROUND_LIMIT_MS,
  );
});
