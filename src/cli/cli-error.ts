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

/** The command cannot be used like this. */
export class UsageError extends CliError {
  constructor(message: string) {
    super(message, 2);
  }
}

/** The API server refused. */
export class RefusalError extends CliError {
  constructor(
    readonly status: number,
    message: string,
    /** The answer as it came. */
    readonly response = '',
  ) {
    super(message);
  }
}

export function isRefusal(error: unknown, status: number): boolean {
  return error instanceof RefusalError && error.status === status;
}
