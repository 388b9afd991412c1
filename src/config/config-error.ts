/** A faulty setting: its name and the violated rule, never its value, which may be a secret. */
export interface ConfigFault {
  name: string;
  rule: string;
}

/** The configuration is invalid. Entry points print the faults plainly and exit with 2. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly ConfigFault[]) {
    super(faults.map(({ name, rule }) => `${name}: ${rule}`).join('\n'));
    this.name = 'ConfigError';
  }
}
