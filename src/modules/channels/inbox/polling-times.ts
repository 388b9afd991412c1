import type { ChannelsConfig } from '../../../config/channels.config.js';
import type { DispatchConfig } from '../../../config/dispatch.config.js';

const LONGEST_WAIT_SECONDS = 10;
/** For what is done between two questions. */
const MARGIN_MS = 5_000;

/** How long a question to the platform waits, and a poller's lease, which no question may outlast. */
export class PollingTimes {
  /** Seconds that the platform waits for updates before it answers with none. */
  readonly waitSeconds: number;
  readonly leaseMs: number;

  constructor({ leaseSeconds }: DispatchConfig, { platformTimeoutMs }: ChannelsConfig) {
    this.waitSeconds = Math.max(1, Math.min(LONGEST_WAIT_SECONDS, Math.floor(leaseSeconds / 3)));
    this.leaseMs = Math.max(leaseSeconds * 1000, this.waitSeconds * 1000 + platformTimeoutMs + MARGIN_MS);
  }
}
