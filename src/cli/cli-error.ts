/** A command that could not be done: the message is for the user as it stands. */
export class CliError extends Error {
  constructor(message: string) {
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
