import { formatEventId, parseEventId } from './event-id.js';

describe('The id of a live event', () => {
  it.each(['0', '17', '17.0', '17.12', '2147483647'])('%s is read and written alike', (text) => {
    expect(formatEventId(parseEventId(text)!)).toBe(text);
  });

  it.each(['', 'made-up', '-1', '1e3', '1.', '.1', '1.2.3', ' 1', '2147483648', '99999999999999999999999'])(
    '%j is none',
    (text) => {
      expect(parseEventId(text)).toBeNull();
    },
  );
});
