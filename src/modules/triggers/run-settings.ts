import { createHash } from 'node:crypto';
import type { ApiAddress } from '../../common/api-address.js';
import type { Environment } from '../../config/env-reader.js';
import type { AgentDefinition } from './definition/definition.js';

/** What every program needs to find its way on the machine. The rest of the environment may hold secrets, and is for `env` to name. */
const HANDED_ON = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'SYSTEMROOT', 'PATHEXT', 'COMSPEC'],
]);
const LOCALE = 'LC_';

/** What the runs, the reporter and the heartbeats of one agent process work with. */
export class RunSettings {
  agents: readonly AgentDefinition[];

  /** Address of the API server, as this process and its programs reach it. */
  api: ApiAddress;

  /** This process's own token; never given to a program when it is good for more than reporting. */
  apiToken: string;

  /** Folder of the state of this process. */
  stateDir: string;

  /** Tells this state from that of other processes. */
  get stateId(): string {
    return createHash('sha256').update(this.stateDir).digest('hex').slice(0, 16);
  }

  /** What programs get of this process's environment. */
  programEnv: Readonly<Record<string, string>>;

  /** Whether what programs write to standard error is logged. */
  isVerbose = false;

  /** Milliseconds that running programs get to finish at shutdown; then they are stopped, and resumed at the next start. */
  drainTimeoutMs = 10_000;

  /** Seconds for which the API holds a run for this process without hearing of it. */
  leaseTtlSeconds = 60;

  /** UTF-8 bytes of events that may wait on disk for the API; beyond it the oldest go. */
  spoolMaxBytes = 256 * 1024 * 1024;
}

/** The harmless part of an environment. */
export function inheritedVariables(variables: Environment): Record<string, string> {
  const given = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given.filter(([name]) => HANDED_ON.has(name.toUpperCase()) || name.startsWith(LOCALE)));
}
