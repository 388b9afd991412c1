import { RestWatch } from './rest-watch.js';

const MIB = 1024 * 1024;

/** @param checks [share of the time that was busy, memory in MiB] */
function releases(watch: RestWatch, checks: readonly (readonly [number, number])[]): boolean[] {
  return checks.map(([utilization, mib]) => watch.shallRelease(utilization, mib * MIB));
}

describe('Memory that a load took', () => {
  it('is returned in two steps once the server has rested for two checks', () => {
    const watch = new RestWatch(100 * MIB);
    expect(releases(watch, [...[0.9, 0.5].map((share) => [share, 250] as const)])).toEqual([false, false]);
    expect(releases(watch, Array(6).fill([0.01, 250]))).toEqual([false, true, true, false, false, false]);
  });

  it('is kept while there is work, and a pause between two loads is no rest', () => {
    const watch = new RestWatch(100 * MIB);
    const checks = [0.01, 0.06, 0.01, 0.3, 0.01, 0.9].map((share) => [share, 250] as const);
    expect(releases(watch, checks)).toEqual(Array(6).fill(false));
  });

  it('is left alone where it has hardly grown', () => {
    expect(releases(new RestWatch(100 * MIB), Array(6).fill([0, 125]))).toEqual(Array(6).fill(false));
  });

  it('is returned after the next load only if that took more than what the last release left', () => {
    const watch = new RestWatch(100 * MIB);
    const rest = (mib: number) => releases(watch, Array(5).fill([0, mib])).includes(true);
    const load = () => releases(watch, [[1, 250]]);
    expect(rest(250)).toBe(true);
    load();
    expect(rest(260)).toBe(false);
    load();
    expect(rest(300)).toBe(true);
  });
});
