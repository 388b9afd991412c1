/** Share of the time that the event loop may be busy in a server that rests. */
const RESTING_SHARE = 0.05;
/** Checks in a row that find it resting, before anything is released. */
const CHECKS_AT_REST = 2;
/** The engine returns its room for new objects only when it collects a second time, after seconds with few allocations. */
const RELEASES = 2;
/** Checks in a row after which it rests for long: five minutes at the usual interval. */
const CHECKS_AT_LONG_REST = 60;
/** Growth since it last rested that is worth the pause. */
const GROWTH_BYTES = 32 * 1024 * 1024;

/** What to return: what is quickly there again, or, after a long rest, all that can be. */
export type Release = 'room' | 'all';

/** Decides when a server has rested for long enough, after a load that took memory, to return that. */
export class RestWatch {
  private checksAtRest = 0;
  private releasesLeft = 0;
  private isLongRestDue = false;

  /** @param restingBytes resident memory of the process at rest */
  constructor(private restingBytes: number) {}

  /**
   * To be asked at an interval of some seconds.
   * @param utilization of the event loop since the last time, 0 to 1
   * @param bytes resident memory now
   */
  dueRelease(utilization: number, bytes: number): Release | null {
    if (utilization > RESTING_SHARE) {
      this.checksAtRest = 0;
      return null;
    }
    this.checksAtRest += 1;
    if (this.checksAtRest === CHECKS_AT_REST && bytes - this.restingBytes >= GROWTH_BYTES) {
      this.releasesLeft = RELEASES;
      this.isLongRestDue = true;
    }
    if (this.checksAtRest >= CHECKS_AT_REST && this.releasesLeft > 0) {
      this.releasesLeft -= 1;
      return 'room';
    }
    // What the last release left is what a rest takes from now on.
    if (this.checksAtRest === CHECKS_AT_REST + RELEASES) this.restingBytes = bytes;
    if (this.checksAtRest < CHECKS_AT_LONG_REST || !this.isLongRestDue) return null;
    this.isLongRestDue = false;
    return 'all';
  }
}
