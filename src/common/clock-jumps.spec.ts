import { jest } from '@jest/globals';
import { ClockJumps } from './clock-jumps.js';

let clockMs: number;
let passedMs: number;
let jumps: ClockJumps;

beforeEach(() => {
  [clockMs, passedMs] = [1_000_000, 0];
  jest.spyOn(performance, 'now').mockImplementation(() => passedMs);
  jumps = new ClockJumps({ nowMs: () => clockMs });
});
afterEach(() => jest.restoreAllMocks());

function pass(ms: number): void {
  clockMs += ms;
  passedMs += ms;
}

describe('A clock beside the time that has passed', () => {
  it('has not jumped while it goes as fast', () => {
    pass(3_600_000);
    expect(jumps.hasJumped(0)).toBe(false);
    expect(jumps.sinceLastMs()).toBe(0);
  });

  it('has jumped when it was set back or forward, once', () => {
    pass(1_000);
    clockMs -= 60_000;
    expect(jumps.sinceLastMs()).toBe(-60_000);
    expect(jumps.sinceLastMs()).toBe(0);
    clockMs += 60_000;
    expect(jumps.hasJumped()).toBe(true);
    expect(jumps.hasJumped()).toBe(false);
  });

  it('may be corrected a little', () => {
    clockMs += 5_000;
    expect(jumps.hasJumped()).toBe(false);
    clockMs += 5_001;
    expect(jumps.hasJumped()).toBe(true);
  });
});
