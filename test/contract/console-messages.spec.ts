import { readMessages, shownMessages } from '../../console/src/lib/messages.js';
import { recordedRuns } from '../support/replay-source.js';

describe('the console on real histories', () => {
  it('shows every message, and each result at its call', () => {
    for (const { messages } of recordedRuns()) {
      const history = messages.map((text) => JSON.parse(text) as { role: string });
      const read = readMessages(history);
      const kinds = new Set(read.flatMap(({ parts }) => parts.map(({ kind }) => kind)));
      expect([...kinds].filter((kind) => kind === 'json' || kind === 'result')).toEqual([]);
      expect(shownMessages(read)).toHaveLength(history.filter(({ role }) => role !== 'tool').length);
    }
  });
});
