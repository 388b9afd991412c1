import { RestWatch, type Release } from './rest-watch.js';

const MIB = 1024 * 1024;

/** @param checks [share of the time that was busy, memory in MiB] */
function releases(watch: RestWatch, checks: readonly (readonly [number, number])[]): (Release | null)[] {
  return checks.map(([utilization, mib]) => watch.dueRelease(utilization, mib * MIB));
}

const rest = (checks: number, mib: number) => Array<readonly [number, number]>(checks).fill([0.01, mib]);

describe('Memory that a load took', () => {
  it('is returned in two steps once the server has rested for two checks', () => {
    const watch = new RestWatch(100 * MIB);
    expect(releases(watch, [...[0.9, 0.5].map((share) => [share, 250] as const)])).toEqual([null, null]);
    expect(releases(watch, rest(6, 250))).toEqual([null, 'room', 'room', null, null, null]);
  });

  it('is returned as far as it can be once the server has rested for five minutes, one time', () => {
    const watch = new RestWatch(100 * MIB);
    const found = releases(watch, rest(200, 250));
    expect(found.indexOf('all')).toBe(59);
    expect(found.filter((release) => release !== null)).toEqual(['room', 'room', 'all']);
  });

  it('is returned as far as it can be also where a small load has broken the rest', () => {
    const watch = new RestWatch(100 * MIB);
    releases(watch, rest(40, 250));
    const found = releases(watch, [[0.5, 250], ...rest(60, 250)]);
    expect(found.filter((release) => release !== null)).toEqual(['all']);
    expect(found.at(-1)).toBe('all');
  });

  it('is kept while there is work, and a pause between two loads is no rest', () => {
    const watch = new RestWatch(100 * MIB);
    const checks = [0.01, 0.06, 0.01, 0.3, 0.01, 0.9].map((share) => [share, 250] as const);
    expect(releases(watch, checks)).toEqual(Array(6).fill(null));
  });

  it('is left alone where it has hardly grown', () => {
    expect(releases(new RestWatch(100 * MIB), rest(100, 125))).toEqual(Array(100).fill(null));
  });

  it('is returned after the next load only if that took more than what the last release left', () => {
    const watch = new RestWatch(100 * MIB);
    const isReturnedAt = (mib: number) => releases(watch, rest(5, mib)).includes('room');
    const load = () => releases(watch, [[1, 250]]);
    expect(isReturnedAt(250)).toBe(true);
    load();
    expect(isReturnedAt(260)).toBe(false);
    load();
    expect(isReturnedAt(300)).toBe(true);
  });
});
