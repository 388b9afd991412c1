import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { ApiClient } from '../../support/api-client.js';
import { createReadyChannel, telegramOrder } from '../../support/channels.js';
import { EVENTS, threadPath } from '../../support/recording.js';
import { searchMs } from '../../support/search-seconds.js';
import { StalledSenders } from '../../support/stalled-senders.js';
import { TELEGRAM_RECEIVER } from '../../support/telegram-updates.js';
import { useServer } from '../../support/test-server.js';

const SEARCH_MS = searchMs(2);
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_122);
/** The heap of `deploy/`, memory beside it, and the allocator's reserve; the faults that this guards against took gibibytes. */
const LIMIT_MIB = 1500;
/** Machines differ in speed; the faults that this guards against blocked or killed the server. */
const HEALTH_LIMIT_MS = 45_000;

const heap = /NODE_OPTIONS: (\S+)/.exec(readFileSync('deploy/compose.yaml', 'utf8'))![1]!;
const server = useServer({ env: { NODE_OPTIONS: heap } });

/** One event with an element of this depth or width. */
const hostile = fc.record({
  place: fc.constantFrom('error', 'pending_tool_calls', 'history', 'message', 'history_meta', 'notes', 'unknown'),
  shape: fc.constantFrom('lists', 'objects', 'empty objects', 'numbers', 'one text', 'escapes', 'names'),
  megabytes: fc.constantFrom(0.01, 0.2, 0.9, 1.1, 4, 16, 31),
  coding: fc.constantFrom('gzip', 'deflate', 'br'),
  times: fc.constantFrom(1, 2, 8),
});
type Hostile = typeof hostile extends fc.Arbitrary<infer T> ? T : never;

/** Each of these alone once killed a server. */
const WORST: Hostile[] = [
  { place: 'error', shape: 'lists', megabytes: 31, coding: 'gzip', times: 2 },
  { place: 'pending_tool_calls', shape: 'empty objects', megabytes: 31, coding: 'br', times: 2 },
  { place: 'message', shape: 'objects', megabytes: 31, coding: 'deflate', times: 2 },
];

const SHAPES: Record<Hostile['shape'], (bytes: number) => string> = {
  lists: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  objects: (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`,
  'empty objects': (bytes) => `[${'{},'.repeat(bytes / 3)}{}]`,
  numbers: (bytes) => `[${'1,'.repeat(bytes / 2)}1]`,
  'one text': (bytes) => `"${'x'.repeat(bytes)}"`,
  escapes: (bytes) => `"${'\\u0041'.repeat(bytes / 6)}"`,
  names: (bytes) => `{${Array.from({ length: bytes / 12 }, (_, i) => `"${i}":0`).join(',')}}`,
};

const CODINGS: Record<Hostile['coding'], (text: string) => Buffer> = {
  gzip: (text) => zlib.gzipSync(text, { level: 1 }),
  deflate: (text) => zlib.deflateSync(text, { level: 1 }),
  br: (text) => zlib.brotliCompressSync(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

function bodyOf({ place, shape, megabytes, coding }: Hostile, threadId: string): Buffer {
  const element = SHAPES[shape](Math.floor(megabytes * 1_000_000));
  const [type, member] = place === 'unknown' ? ['state_saved', 'state'] : ['checkpoint', place];
  const value = place === 'message' ? `"history":[1,${element}]` : `"${member}":${element}`;
  const ids = `"thread_id":"${threadId}","trace_id":"run-1","agent_id":"support"`;
  return CODINGS[coding](
    `{"events":[{"type":"${place === 'error' ? 'thread_error' : type}","data":{${ids},${value}}}]}`,
  );
}

/** 0 if there is no /proc. */
function residentMib(): number {
  const file = `/proc/${server.process.pid}/status`;
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Checks the server's health during everything else. */
class Watch {
  slowestMs = 0;
  peakMib = 0;
  readonly refused: string[] = [];
  reported = 0;
  private isOver = false;
  private readonly work: Promise<void>[];

  constructor(private readonly api: ApiClient) {
    this.work = [this.askHealth(), this.report(1000), this.report(50_000)];
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.work);
  }

  private async askHealth(): Promise<void> {
    while (!this.isOver) {
      const startedMs = performance.now();
      expect((await this.api.get('/health')).status).toBe(200);
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedMs);
      this.peakMib = Math.max(this.peakMib, residentMib());
      await pause(10);
    }
  }

  /** Ordinary agents' reports, some of them compressed. */
  private async report(length: number): Promise<void> {
    const threadId = newThreadId('normal');
    for (let step = 0; !this.isOver; step++) {
      const history = [{ role: 'user', content: `${step} `.repeat(length) }];
      const plain = JSON.stringify({ events: [checkpoint(threadId, step, { history })] });
      const isCompressed = step % 2 === 0;
      const headers: Record<string, string> = isCompressed ? { 'content-encoding': 'gzip' } : {};
      const answer = await this.api.post(EVENTS, isCompressed ? zlib.gzipSync(plain) : plain, { headers });
      if (answer.status === 200) this.reported += 1;
      else this.refused.push(`${answer.status} ${answer.text.slice(0, 200)}`);
      await pause(5);
    }
  }
}

describe('Hostile bodies of any shape', () => {
  it(
    'neither end the server nor fill its memory, and keep no normal report out',
    async () => {
      await createReadyChannel(server.api, telegramOrder());
      const stalled = new StalledSenders(server.api.baseUrl);
      const hostileApi = new ApiClient(server.api.baseUrl, server.api.token);
      const watch = new Watch(server.api);
      const play = async (attack: Hostile[]) => {
        for (let i = 0; i < 5; i++) stalled.open({ path: TELEGRAM_RECEIVER, length: 4 * 1024 * 1024 });
        const sent = attack.flatMap((one) => {
          const threadId = newThreadId('hostile');
          const body = bodyOf(one, threadId);
          const headers = { 'content-encoding': one.coding };
          return Array.from({ length: one.times }, async () => {
            expect([200, 400, 413, 503]).toContain((await hostileApi.post(EVENTS, body, { headers })).status);
            const read = await hostileApi.get(threadPath(threadId, '?logs_limit=20'));
            expect([200, 404]).toContain(read.status);
          });
        });
        await Promise.all(sent);
        stalled.close();
        expect(watch.refused).toEqual([]);
        expect(watch.peakMib).toBeLessThan(LIMIT_MIB);
        expect(watch.slowestMs).toBeLessThan(HEALTH_LIMIT_MS);
      };
      // Attacks that began in time are awaited: the last one may be the one that kills the server.
      const deadline = performance.now() + SEARCH_MS;
      const playInTime = (attack: Hostile[]) => (performance.now() < deadline ? play(attack) : Promise.resolve());
      const attacks = fc.array(hostile, { minLength: 1, maxLength: 4 });
      const limits = { seed, numRuns: 5_000, endOnFailure: true, examples: [[WORST] as [Hostile[]]] };
      try {
        await fc.assert(fc.asyncProperty(attacks, playInTime), limits);
      } finally {
        stalled.close();
        await watch.end();
      }
      expect(watch.reported).toBeGreaterThan(0);
      hostileApi.close();
    },
    SEARCH_MS + 300_000,
  );
});
