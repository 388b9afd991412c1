import { createHash } from 'node:crypto';
import type { ApiAddress } from '../../common/api-address.js';
import type { Environment } from '../../config/env-reader.js';
import type { AgentDefinition } from './definition/definition.js';

/** What every program needs from the environment. The rest may hold secrets; `env` must name it. */
const HANDED_ON = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'SYSTEMROOT', 'PATHEXT', 'COMSPEC'],
]);
const LOCALE = 'LC_';

export class RunSettings {
  agents: readonly AgentDefinition[];

  /** The API server's address for this process and its programs. */
  api: ApiAddress;

  /** This process's token; never given to a program if it allows more than reporting. */
  apiToken: string;

  /** Folder of this process's state. */
  stateDir: string;

  /** Distinguishes this state from other processes'. */
  get stateId(): string {
    return createHash('sha256').update(this.stateDir).digest('hex').slice(0, 16);
  }

  /** What programs get from this process's environment. */
  programEnv: Readonly<Record<string, string>>;

  /** Whether programs' standard error is logged. */
  isVerbose = false;

  /** Milliseconds for running programs to finish at shutdown; then they are stopped, and resumed at the next start. */
  drainTimeoutMs = 10_000;

  /** Seconds for which the API reserves a run for this process without hearing from it. */
  leaseTtlSeconds = 60;

  /** UTF-8 bytes of events that may wait on disk for the API; beyond it the oldest are dropped. */
  spoolMaxBytes = 256 * 1024 * 1024;
}

/** The harmless part of an environment. */
export function inheritedVariables(variables: Environment): Record<string, string> {
  const given = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given.filter(([name]) => HANDED_ON.has(name.toUpperCase()) || name.startsWith(LOCALE)));
}
