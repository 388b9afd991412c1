import { ChannelsConfig } from '../../../config/channels.config.js';
import { DispatchConfig } from '../../../config/dispatch.config.js';
import { PollingTimes } from './polling-leases.js';

function timesOf(leaseSeconds: number, platformTimeoutMs: number): PollingTimes {
  return new PollingTimes({ ...new DispatchConfig(), leaseSeconds }, { ...new ChannelsConfig(), platformTimeoutMs });
}

describe('The lease of a poller', () => {
  it.each([
    [30, 15_000, 10, 30_000],
    [2, 1_000, 1, 7_000],
    [30, 60_000, 10, 75_000],
    [600, 15_000, 10, 600_000],
  ])('for %i s and a platform with %i ms is outlasted by no question', (lease, timeout, waitSeconds, leaseMs) => {
    const times = timesOf(lease, timeout);
    expect([times.waitSeconds, times.leaseMs]).toEqual([waitSeconds, leaseMs]);
    expect(times.leaseMs).toBeGreaterThanOrEqual(waitSeconds * 1000 + timeout);
  });

  it('ends early enough with the usual settings that another instance polls within 30 s of the death of its holder', () => {
    const { leaseSeconds } = new DispatchConfig();
    expect(timesOf(leaseSeconds, new ChannelsConfig().platformTimeoutMs).leaseMs).toBeLessThanOrEqual(27_000);
    expect(leaseSeconds).toBeLessThanOrEqual(25);
  });
});
