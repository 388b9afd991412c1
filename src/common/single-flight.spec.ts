import { SingleFlight } from './single-flight.js';

/** Work whose runs end when the test decides. */
class SteppedWork {
  runs = 0;
  private ends: (() => void)[] = [];

  readonly run = async (): Promise<void> => {
    this.runs += 1;
    await new Promise<void>((resolve) => this.ends.push(resolve));
  };

  async endOne(): Promise<void> {
    this.ends.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('Work that never runs twice at a time', () => {
  it('runs at once when it is woken, and once more for all calls while it is under way', async () => {
    const work = new SteppedWork();
    const flight = new SingleFlight(work.run);
    flight.wake();
    expect(work.runs).toBe(1);
    flight.wake();
    flight.wake();
    expect(work.runs).toBe(1);
    await work.endOne();
    expect(work.runs).toBe(2);
    await work.endOne();
    expect(work.runs).toBe(2);
    await flight.idle();
    flight.wake();
    expect(work.runs).toBe(3);
    await work.endOne();
  });

  it('does not run again for those who only want it under way', async () => {
    const work = new SteppedWork();
    const flight = new SingleFlight(work.run);
    flight.startIfIdle();
    flight.startIfIdle();
    await work.endOne();
    expect(work.runs).toBe(1);
    flight.startIfIdle();
    expect(work.runs).toBe(2);
    await work.endOne();
  });

  it('goes on for as long as it wakes itself', async () => {
    let left = 5;
    const flight: SingleFlight = new SingleFlight(() => {
      if (--left > 0) flight.wake();
      return Promise.resolve();
    });
    flight.wake();
    await flight.idle();
    expect(left).toBe(0);
  });

  it('loses no call, in whichever turn it comes', async () => {
    for (let turns = 0; turns < 10; turns++) {
      let [added, done] = [0, 0];
      const flight = new SingleFlight(async () => {
        await Promise.resolve();
        done = added;
      });
      added = 1;
      flight.wake();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      added = 2;
      flight.wake();
      await flight.idle();
      expect(done).toBe(2);
    }
  });

  it('starts nothing more once it is stopped, and waits for what is under way', async () => {
    const work = new SteppedWork();
    const flight = new SingleFlight(work.run);
    flight.wake();
    flight.wake();
    let hasEnded = false;
    const stopped = flight.stop().then(() => (hasEnded = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasEnded).toBe(false);
    await work.endOne();
    await stopped;
    flight.wake();
    expect(work.runs).toBe(1);
  });
});
