import { CHANNEL_TYPES } from '../../src/modules/channels/platforms/platforms.js';

/** Platforms of servers under test that have no fake of them: tests use the loopback alone. Nobody listens there. */
export const NO_PLATFORMS = Object.fromEntries(
  CHANNEL_TYPES.map((type) => [`WAYSTATION_${type.toUpperCase()}_API_URL`, 'http://127.0.0.1:9']),
);
