import { everySecond, fragmented, numbers, onBase } from '../../support/fragmented-base.js';
import { peakMegabytes } from '../../support/peak-memory.js';
import { EVENTS, latestOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

/** The heap of `deploy/` is twice as large. */
const server = useServer({ env: { NODE_OPTIONS: '--max-old-space-size=256' } });

describe('A batch of many reports on a base of very many pieces', () => {
  const MANY = 16_000;

  it.each([
    ['one after the other', (i: number) => (i === 0 ? 'base' : `event ${i - 1}`)],
    ['side by side', () => 'base'],
  ])('%s needs little memory', async (_how, baseOf) => {
    const threadId = await fragmented(server.api, MANY);
    const events = numbers(150).map((i) => {
      const base = baseOf(i);
      const length = base === 'base' ? MANY : MANY + i;
      return onBase(threadId, i + 2, [`event ${i}`, base, length], { added: [`said ${i}`] });
    });
    const answer = await server.api.post(EVENTS, { events });
    expect({ status: answer.status, ...answer.json<object>() }).toEqual({ status: 200, saved: 150, rejected: [] });
    const { history } = await latestOf(server.api, threadId);
    expect(history.slice(0, MANY)).toEqual(everySecond(MANY));
    expect(history.at(-1)).toBe('said 149');
    expect(peakMegabytes(server.process.pid)).toBeLessThan(700);
  });
});
