import type { ChannelType } from '../../src/modules/channels/platforms/platforms.js';

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9';

// Not the program's list: every test would load it with all adapters. The type reports a missing one.
const PLATFORMS: Record<ChannelType, string> = { telegram: NOWHERE, whatsapp: NOWHERE, slack: NOWHERE };

/** Platform addresses for servers without a fake: tests use only the loopback. */
export const NO_PLATFORMS = Object.fromEntries(
  Object.entries(PLATFORMS).map(([type, url]) => [`WAYSTATION_${type.toUpperCase()}_API_URL`, url]),
);
