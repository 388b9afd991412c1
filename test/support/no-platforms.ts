import type { ChannelType } from '../../src/modules/channels/platforms/platforms.js';

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';

// Not from the list of the program, which every test would load with all adapters; the type says when one is missing.
const PLATFORMS: Record<ChannelType, string> = { telegram: NOWHERE, whatsapp: NOWHERE, slack: NOWHERE };

/** Platforms of servers under test that have no fake of them: tests use the loopback alone. */
export const NO_PLATFORMS = Object.fromEntries(
  Object.entries(PLATFORMS).map(([type, url]) => [`WAYSTATION_${type.toUpperCase()}_API_URL`, url]),
);
