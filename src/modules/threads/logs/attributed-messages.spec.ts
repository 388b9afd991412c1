import { parseRanges, placesOf, type Range } from '../message-log/ranges.js';
import { elementsOf } from '../message-log/new-elements.js';
import { attributedMessages, type TextReader } from './attributed-messages.js';

const ARRIVED_MS = Date.UTC(2026, 10, 20, 9);
const ARRIVED = '2026-11-20T09:00:00.000Z';

function logOf(textAt: (place: number) => string): TextReader {
  return async function* (places: readonly Range[]) {
    for (const place of placesOf(places)) yield textAt(place);
  };
}

async function said(columns: [string, string], indexes: string, metaAt: (place: number) => string) {
  const lists = elementsOf({ history: columns[0], history_meta: columns[1] });
  const reports = { agentId: 'support', traceId: 'run-1', stepIndex: 3, createdAtMs: ARRIVED_MS };
  const read = { history: logOf((place) => `"message ${place}"`), meta: logOf(metaAt) };
  const messages = [];
  for await (const message of attributedMessages(lists, parseRanges(indexes), reports, read)) messages.push(message);
  return messages;
}

const at = (second: number) => `2026-11-20T08:00:${String(second).padStart(2, '0')}.000Z`;

describe('The messages of a checkpoint', () => {
  it('come with the time and tokens that stand at their index', async () => {
    const messages = await said(
      ['0-1,4-6', '0-4'],
      '2-3',
      (place) => `{"ts":"${at(place)}","tokens_in":${place},"tokens_out":1}`,
    );
    const shared = { agent_id: 'support', trace_id: 'run-1', step_index: 3, tokens_out: 1 };
    expect(messages).toEqual([
      { text: '"message 4"', source: { ...shared, ts: at(2), tokens_in: 2 } },
      { text: '"message 5"', source: { ...shared, ts: at(3), tokens_in: 3 } },
    ]);
  });

  it('take the time of the message before them where they have none', async () => {
    const messages = await said(['0-3', '0-1'], '0-3', (place) => (place === 1 ? `{"ts":"${at(7)}"}` : '{}'));
    expect(messages.map(({ source }) => [source.ts, source.is_ts_estimated ?? false])).toEqual([
      [ARRIVED, true],
      [at(7), false],
      [at(7), true],
      [at(7), true],
    ]);
  });

  it.each([
    ['2026-11-20T08:00:01.123456Z', '2026-11-20T08:00:01.123456Z'],
    ['2026-11-20T08:00:01', '2026-11-20T08:00:01Z'],
    ['2026-11-20 10:00:01+02:00', '2026-11-20T08:00:01.000Z'],
    ['2026-11-20T08:00Z', '2026-11-20T08:00:00.000Z'],
  ])('understand the time %j', async (ts, expected) => {
    const [message] = await said(['0', '0'], '0', () => JSON.stringify({ ts }));
    expect(message?.source).toEqual(expect.objectContaining({ ts: expected }));
    expect(message?.source).not.toHaveProperty('is_ts_estimated');
  });

  it.each([
    'null',
    '7',
    '[]',
    '"text"',
    '{"ts":12,"tokens_in":"5","tokens_out":-1}',
    '{"ts":"soon"}',
    '{"ts":"2026-99-99T00:00:00Z"}',
  ])('do without the metadata %s', async (meta) => {
    const [message] = await said(['0', '0'], '0', () => meta);
    expect(message?.source).toEqual({
      ...{ ts: ARRIVED, is_ts_estimated: true },
      ...{ agent_id: 'support', trace_id: 'run-1', step_index: 3 },
    });
  });
});
