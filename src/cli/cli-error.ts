/** A command that could not be done: the message is for the user as it stands. */
export class CliError extends Error {
  constructor(
    message: string,
    /** Of the process; 1 unless the command has codes of its own. */
    readonly exitCode = 1,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** The API server refused. */
export class RefusalError extends CliError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
