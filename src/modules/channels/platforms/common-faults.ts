import type { PlatformFault } from './platform.js';

/** `<PLATFORM>` stands for the name of the platform in settings. What goes wrong is in the words of `platform-failure.ts` and `platform-calls.ts`. */
const COMMON_FAULTS: readonly PlatformFault[] = [
  {
    pattern:
      /refuses connections|cannot be (resolved|reached)|did not answer in time|connection to the platform broke/i,
    remedy:
      'This server does not get through to the platform. Check its network, proxy and DNS, and WAYSTATION_<PLATFORM>_API_URL if it is set.',
  },
  {
    pattern: /certificate is not valid/i,
    remedy: 'Check the clock of this machine, and whether a proxy stands between it and the platform.',
  },
  {
    pattern: /not in its own format|answer of the platform is too long/i,
    remedy:
      'Something else answered: a proxy, or WAYSTATION_<PLATFORM>_API_URL names a wrong address. It may also pass by itself: try again.',
  },
  {
    pattern: /characters that cannot be sent/i,
    remedy: 'Copy the token again, without spaces or line breaks, and replace the config.',
  },
  {
    pattern: /the channel is disabled/i,
    remedy: 'Enable the channel.',
  },
];

/** What goes wrong on the way to every platform, said for this one. */
export function commonFaultsOf(type: string): PlatformFault[] {
  return COMMON_FAULTS.map(({ pattern, remedy }) => ({
    pattern,
    remedy: remedy.replace('<PLATFORM>', type.toUpperCase()),
  }));
}
