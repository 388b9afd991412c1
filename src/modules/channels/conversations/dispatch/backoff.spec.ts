import { agentBackoffMs } from './backoff.js';

describe('The pause before an agent is tried again', () => {
  it('grows up to thirty seconds, in whole milliseconds', () => {
    const pauses = Array.from({ length: 12 }, (_, i) => agentBackoffMs(i + 1, null, () => 0.123456789));
    expect(pauses.every(Number.isInteger)).toBe(true);
    expect([...pauses].sort((a, b) => a - b)).toEqual(pauses);
    expect(agentBackoffMs(50, null, () => 1)).toBe(30_000);
  });

  it('is what the agent asked for, but never longer than thirty seconds', () => {
    expect(agentBackoffMs(1, 7_000, () => 0)).toBe(7_000);
    expect(agentBackoffMs(1, 3_600_000, () => 0)).toBe(30_000);
  });
});
