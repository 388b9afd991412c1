/** One fault of a definition file. */
export interface DefinitionFault {
  /** Where it stands, as `triggers[1].cron`; empty for the file as a whole. */
  readonly path: string;
  /** What was expected, never a value that may be a secret. */
  readonly detail: string;
}

/** A definition file cannot be used. Entry points print all faults plainly and exit with 2. */
export class DefinitionError extends Error {
  constructor(
    /** The file, as it was named. */
    readonly file: string,
    readonly faults: readonly DefinitionFault[],
  ) {
    super(faults.map((fault) => faultLine(fault)).join('\n'));
    this.name = 'DefinitionError';
  }
}

export function faultLine({ path, detail }: DefinitionFault): string {
  return path === '' ? detail : `${path}: ${detail}`;
}
