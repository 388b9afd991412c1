import type { Environment } from './env-reader.js';

/** How the person came to this machine over SSH. */
export interface SshSession {
  /** The address under which SSH reached it; null if it does not say. */
  host: string | null;
  port: string;
}

/** Where the person at the keyboard sits. */
export interface Seat {
  /** Whether programs can show windows. Elsewhere than on Linux they can, unless the person came over SSH. */
  hasDisplay: boolean;
  /** Null if they did not. */
  ssh: SshSession | null;
  /** Whether `npm start` or npx started this process. */
  isOfNpm: boolean;
}

export function readSeat(env: Environment): Seat {
  const hasDisplay = process.platform !== 'linux' || !!env.DISPLAY || !!env.WAYLAND_DISPLAY;
  const { SSH_CONNECTION: connection, SSH_TTY: terminal } = env;
  const isOfNpm = env.npm_lifecycle_event === 'start' || env.npm_lifecycle_event === 'npx';
  if (!connection && !terminal) return { hasDisplay, ssh: null, isOfNpm };
  const [, , host = null, port = '22'] = connection?.split(' ') ?? [];
  return { hasDisplay, ssh: { host, port }, isOfNpm };
}
