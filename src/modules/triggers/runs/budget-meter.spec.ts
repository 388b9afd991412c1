import { BudgetMeter } from './budget-meter.js';

describe('A budget', () => {
  it('warns once at 80 percent and is exceeded beyond its limit, not at it', () => {
    const meter = new BudgetMeter(0.5, 0, false);
    const readings = [0.1, 0.4, 0.45, 0.5, 0.51].map((cost) => meter.read(cost));
    expect(readings.map(({ isWarning }) => isWarning)).toEqual([false, true, false, false, false]);
    expect(readings.map(({ isExceeded }) => isExceeded)).toEqual([false, false, false, false, true]);
  });

  it('does not warn again after a restart, nor where the program has', () => {
    expect(new BudgetMeter(0.5, 0.42, true).read(0.45).isWarning).toBe(false);
    const meter = new BudgetMeter(0.5, 0, false);
    meter.noteWarned();
    expect(meter.read(0.45).isWarning).toBe(false);
  });

  it('without a limit is never reached, and takes only numbers', () => {
    expect(new BudgetMeter(null, 0, false).read(1e9)).toEqual({ isWarning: false, isExceeded: false });
    const meter = new BudgetMeter(1, 0, false);
    for (const cost of ['9', null, undefined, Number.NaN, Infinity]) meter.read(cost);
    expect(meter.costUsd).toBe(0);
  });

  it('is exceeded by a cost that the API would refuse, with one that it takes', () => {
    const meter = new BudgetMeter(1, 0, false);
    expect(meter.read(1e300).isExceeded).toBe(true);
    expect(meter.costUsd).toBe(1e12);
  });
});
