import { get } from 'node:http';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { peakMegabytes, resetPeak } from '../../support/peak-memory.js';
import { rawAt } from '../../support/raw-json.js';
import { checkpointsOf, latestOf, ok, record, threadPath } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer({ isAlone: true });
const STEPS = 2000;

/** Two messages per step; deterministic, so that any step can be compared. */
function historyOf(step: number): Record<string, unknown>[] {
  return Array.from({ length: 2 * (step + 1) }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: `${n} ${'lorem ipsum '.repeat(5)}`,
  }));
}

describe('A thread of 2,000 steps and 4,000 messages', () => {
  const threadId = newThreadId('large');

  beforeAll(async () => {
    // Every tenth history is whole, the others are empty: this shortens the sending but not the reading.
    for (let step = 0; step < STEPS; step += 10) {
      const rest = Array.from({ length: 9 }, (_, n) => checkpoint(threadId, step + n, { history: [] }));
      await record(
        server.api,
        ...rest,
        checkpoint(threadId, step + 9, { history: historyOf(step + 9), history_meta: [] }),
      );
    }
  });

  it('reads back its latest checkpoint', async () => {
    const latest = await latestOf(server.api, threadId);
    expect([latest.step_index, latest.history.length]).toEqual([STEPS - 1, 2 * STEPS]);
    expect(latest.history).toEqual(historyOf(STEPS - 1));
  });

  it('is streamed in flat memory, however much it is', async () => {
    const before = resetPeak(server.process.pid);
    const bytes = await download(threadPath(threadId, '/checkpoints'));
    expect(bytes).toBeGreaterThan(30_000_000);
    expect(peakMegabytes(server.process.pid) - before).toBeLessThan(200);
  });

  it('has every message once in its logs', async () => {
    const { text } = ok(await server.api.get(threadPath(threadId)));
    const logs = JSON.parse(rawAt(text, 'logs') ?? '[]') as unknown[];
    expect(logs).toHaveLength(2 * STEPS);
  });

  it('reads without messages', async () => {
    expect(await checkpointsOf(server.api, threadId, { history: 'none' })).toHaveLength(STEPS);
  });
});

/** Reads a response to its end without keeping it; a truncated JSON document would not end in a brace. */
function download(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = get(new URL(server.api.baseUrl + path), { headers: server.api.headersFor() }, (response) => {
      let bytes = 0;
      let end = '';
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        end = chunk.toString('latin1').slice(-1);
      });
      response.on('error', reject);
      response.on('end', () => (end === '}' ? resolve(bytes) : reject(new Error(`The answer ends in ${end}`))));
    });
    call.on('error', reject);
  });
}
