import { EventStamper } from './event-stamp.js';

describe('Event stamps', () => {
  it('never go back, even when the clock does', () => {
    const times = [1000, 900, 1100];
    const stamper = new EventStamper(() => times.shift() ?? 2000);
    const stamped = [1, 2, 3].map(() => JSON.parse(stamper.stamp('checkpoint', '{}')));
    const occurred = stamped.map(({ occurred_at }) => Date.parse(occurred_at));
    expect(occurred).toEqual([...occurred].sort((a, b) => a - b));
    const numbers = stamped.map(({ sequence_num }) => sequence_num);
    expect(numbers).toEqual([numbers[0], numbers[0] + 1, numbers[0] + 2]);
    expect(new Set(stamped.map(({ id }) => id)).size).toBe(3);
  });

  it('leave the data as it is', () => {
    const data = '{"n":12345678901234567890, "t":"\\u00e9"}';
    expect(new EventStamper().stamp('checkpoint', data)).toContain(`"data":${data}}`);
  });

  it('believe what a program gives', () => {
    const given = { id: 'mine', sequence_num: 7, occurred_at: '2026-01-01T00:00:00.000Z' };
    expect(JSON.parse(new EventStamper().stamp('x', '{}', given))).toEqual({ type: 'x', ...given, data: {} });
  });
});
