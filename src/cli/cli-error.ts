/** A command failed; the message is shown to the user unchanged. */
export class CliError extends Error {
  constructor(
    message: string,
    /** Of the process; 1 unless the command defines others. */
    readonly exitCode = 1,
  ) {
    super(message);
    this.name = 'CliError';
  }
}

/** The command was called wrongly. */
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
    /** The response body as it came. */
    readonly response = '',
  ) {
    super(message);
  }
}

export function isRefusal(error: unknown, status: number): boolean {
  return error instanceof RefusalError && error.status === status;
}
