import { checkpoint, newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { testDialect } from '../../support/dialect.js';
import { EventStream } from '../../support/event-stream.js';
import { record, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome, withPostgres } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
/** Other instances, if the database allows them. */
const siblings: ServerProcess[] = [];

beforeAll(async () => {
  if (testDialect() !== 'postgres') return;
  for (let n = 0; n < 2; n++) {
    const home = await siblingHome(server.storage);
    siblings.push(await ServerProcess.start(server.storage, { env: { WAYSTATION_HOME: home } }));
  }
});
afterAll(() => Promise.all(siblings.map((sibling) => sibling.stop())));

function instance(n: number): ApiClient {
  const all = [server.api, ...siblings.map(({ api }) => api)];
  return all[n % all.length]!;
}

async function watch(api = server.api, lastEventId: string | null = null): Promise<EventStream> {
  const stream = await EventStream.open(api, '/v1/threads/stream', lastEventId);
  await stream.until('its beginning', ({ lastId }) => lastId !== null);
  return stream;
}

describe('The stream of all threads', () => {
  it('loses the last state of no thread, however long transactions take, and wherever readers come back', async () => {
    const ids = Array.from({ length: 64 }, () => newThreadId('load'));
    const slow = testDialect() === 'postgres' ? ids.splice(0, 8) : [];
    let commits = 0;
    const isDone = new AbortController();
    await record(server.api, ...[...slow, ...ids].map((id) => checkpoint(id, 0)));
    const starts = await Promise.all([watch(), watch(), watch()]);
    const readers = starts.map((stream, n) => new RovingReader(stream, n));
    const write = async (writer: number) => {
      for (let step = 1; step < 4; step++) {
        for (let at = writer; at < ids.length; at += 4) {
          // Groups overlap: their transactions wait for each other's threads.
          const events = [ids[at]!, ids[(at + 1) % ids.length]!].map((id) =>
            checkpoint(id, step, { trace_id: `w${writer}` }),
          );
          await record(instance(writer + at), ...events);
          commits += 1;
        }
      }
    };
    const reading = readers.map((reader) => reader.rove(isDone.signal));
    const slowly = slow.map((id, n) => commitSlowly(id, n, () => commits, isDone.signal));
    await Promise.all([0, 1, 2, 3].map(write));
    isDone.abort();
    await Promise.all([...slowly, ...reading]);
    const expected = new Map(
      await Promise.all([...slow, ...ids].map(async (id) => [id, await lastSeqOf(id)] as const)),
    );
    for (const reader of readers) await reader.readUntil(expected);
  });
});

/** Another writer, whose transactions end long after others that began later. */
async function commitSlowly(threadId: string, seed: number, commits: () => number, done: AbortSignal): Promise<void> {
  await withPostgres(server.storage.databaseUrl!, async (client) => {
    for (let round = 1; !done.aborted; round++) {
      await client.query('BEGIN');
      await client.query(
        `UPDATE thread SET last_seq = last_seq + 1, change_no = pg_current_xact_id()::text::bigint WHERE id = $1`,
        [threadId],
      );
      const enough = commits() + 1 + ((seed * 7 + round * 5) % 23);
      await waitFor('others to commit', () => commits() >= enough || done.aborted);
      await client.query('COMMIT');
    }
  });
}

async function lastSeqOf(threadId: string): Promise<number> {
  const live = await EventStream.open(server.api, threadPath(threadId, '/stream'));
  await live.until('its latest checkpoint', ({ seen }) => seen.length > 0);
  live.close();
  return Number(live.seen[0]!.id);
}

/** A reader that keeps disconnecting and reconnects to another instance. */
class RovingReader {
  private readonly lastSeqs = new Map<string, number>();
  private lastId: string | null;

  constructor(
    start: EventStream,
    private readonly number: number,
  ) {
    start.close();
    this.lastId = start.lastId;
  }

  async rove(done: AbortSignal): Promise<void> {
    for (let n = this.number; !done.aborted; n++) {
      const stream = await watch(instance(n), this.lastId);
      await waitFor('changes', () => done.aborted || stream.seen.length >= 5 + ((n * 7) % 20));
      this.leave(stream);
    }
  }

  async readUntil(expected: ReadonlyMap<string, number>): Promise<void> {
    const stream = await watch(instance(this.number), this.lastId);
    const missing = () => [...expected].filter(([id, seq]) => this.lastSeqs.get(id) !== seq);
    await stream.until('the last state of each thread', (told) => (this.note(told), missing().length === 0));
    stream.close();
  }

  private leave(stream: EventStream): void {
    stream.close();
    this.note(stream);
    this.lastId = stream.lastId;
  }

  private note({ seen }: EventStream): void {
    for (const { event, data } of seen) {
      if (event !== 'thread') continue;
      const { thread_id: id, last_seq: seq } = JSON.parse(data) as { thread_id: string; last_seq: number };
      this.lastSeqs.set(id, seq);
    }
  }
}
