import { jest } from '@jest/globals';
import { Clock } from '../../../../common/clock.js';
import { DispatchConfig } from '../../../../config/dispatch.config.js';
import { RollbackSafeClock } from '../../../../queue/rollback-safe-clock.js';
import { RunProgressTimeout } from './run-progress-timeout.js';

const LIMIT_MS = 600_000;
const DAY_MS = 24 * 3_600_000;

/** The machine's elapsed time, which runs even while the process is stopped; the test sets the clock. */
class Machine extends Clock {
  private readonly bootedMs = performance.now();
  private timeMs = 1_763_600_000_000;
  private ranMs = 0;

  pass(ms: number): void {
    this.ranMs += ms;
    this.timeMs += ms;
  }

  set(byMs: number): void {
    this.timeMs += byMs;
  }

  override nowMs(): number {
    return this.timeMs;
  }

  monotonicMs(): number {
    return this.bootedMs + this.ranMs;
  }
}

describe('A run of which nothing is heard', () => {
  let machine: Machine;
  let progressTimeout: RunProgressTimeout;

  beforeEach(() => {
    machine = new Machine();
    jest.spyOn(performance, 'now').mockImplementation(() => machine.monotonicMs());
    progressTimeout = new RunProgressTimeout(
      { ...new DispatchConfig(), runLimitSeconds: LIMIT_MS / 1000 },
      new RollbackSafeClock(machine),
    );
  });
  afterEach(() => {
    progressTimeout.onModuleDestroy();
    jest.restoreAllMocks();
  });

  /** The process keeps running, and looks now and then. */
  function passAwake(ms: number, lastHeardMs: number): void {
    for (let leftMs = ms; leftMs > 0; leftMs -= 30_000) {
      machine.pass(Math.min(leftMs, 30_000));
      progressTimeout.leftMs(lastHeardMs);
    }
  }

  it('is waited for so long', () => {
    const heardMs = machine.nowMs();
    passAwake(LIMIT_MS - 1000, heardMs);
    expect(progressTimeout.leftMs(heardMs)).toBe(1000);
  });

  it('is waited for so long again, and no longer, once the clock was set back by a day', () => {
    passAwake(DAY_MS / 100, machine.nowMs());
    const heardMs = machine.nowMs();
    machine.set(-DAY_MS);
    expect(progressTimeout.leftMs(heardMs)).toBe(LIMIT_MS);
    passAwake(LIMIT_MS - 1000, heardMs);
    expect(progressTimeout.leftMs(heardMs)).toBe(1000);
    passAwake(1000, heardMs);
    expect(progressTimeout.leftMs(heardMs)).toBe(0);
  });

  it('is not given up by a process that was there for long, where the clock that wrote it down was ahead', () => {
    passAwake(3 * LIMIT_MS, machine.nowMs());
    const heardMs = machine.nowMs() + DAY_MS;
    expect(progressTimeout.leftMs(heardMs)).toBe(LIMIT_MS);
    passAwake(LIMIT_MS, heardMs);
    expect(progressTimeout.leftMs(heardMs)).toBe(0);
  });

  it('is waited for so long again after the process was stopped for longer', () => {
    const heardMs = machine.nowMs();
    machine.pass(2 * LIMIT_MS);
    expect(progressTimeout.leftMs(heardMs)).toBe(LIMIT_MS);
    passAwake(LIMIT_MS, heardMs);
    expect(progressTimeout.leftMs(heardMs)).toBe(0);
  });
});
