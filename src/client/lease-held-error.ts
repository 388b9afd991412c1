/** Another process holds the lease of the run. */
export class LeaseHeldError extends Error {
  constructor(
    readonly holder: string,
    /** Until when, unless it is renewed. */
    readonly expiresAt: Date,
  ) {
    super(`${holder} holds the lease of the run until ${expiresAt.toISOString()}`);
    this.name = 'LeaseHeldError';
  }
}
