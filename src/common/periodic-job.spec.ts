import { jest } from '@jest/globals';
import { PeriodicJob } from './periodic-job.js';

const INTERVAL_MS = 10_000;
let ends: (() => void)[];
let errors: unknown[];
let rounds: number;
let job: PeriodicJob;

beforeEach(() => {
  jest.useFakeTimers();
  [ends, errors, rounds] = [[], [], 0];
  const round = () => new Promise<void>((resolve) => ends.push(resolve));
  job = new PeriodicJob(
    async () => {
      rounds += 1;
      await round();
      if (rounds === 1) throw new Error('the first round failed');
    },
    (error) => errors.push(error),
  );
});
afterEach(() => jest.useRealTimers());

const pass = (intervals: number) => jest.advanceTimersByTimeAsync(intervals * INTERVAL_MS);
const endRound = async () => {
  ends.shift()!();
  await jest.advanceTimersByTimeAsync(0);
};

describe('A job at an interval', () => {
  it('begins after the first interval, and goes on after a round that failed', async () => {
    job.start(INTERVAL_MS);
    expect(rounds).toBe(0);
    await pass(1);
    await endRound();
    expect(errors).toEqual([new Error('the first round failed')]);
    await pass(1);
    await endRound();
    expect(rounds).toBe(2);
    expect(errors).toHaveLength(1);
  });

  it('never runs twice at a time, and does not make up for rounds that it left out', async () => {
    job.start(INTERVAL_MS);
    await pass(3);
    job.runNow();
    expect(rounds).toBe(1);
    await endRound();
    expect(rounds).toBe(1);
    await pass(1);
    expect(rounds).toBe(2);
  });

  it('runs before its time when it is asked to', () => {
    job.start(INTERVAL_MS);
    job.runNow();
    expect(rounds).toBe(1);
  });

  it('begins nothing once it is stopped, and waits for the round under way', async () => {
    job.start(INTERVAL_MS);
    await pass(1);
    let hasEnded = false;
    const stopped = job.stop().then(() => (hasEnded = true));
    await pass(5);
    expect(job.isStopped).toBe(true);
    expect(hasEnded).toBe(false);
    await endRound();
    await stopped;
    job.runNow();
    expect(rounds).toBe(1);
  });
});
