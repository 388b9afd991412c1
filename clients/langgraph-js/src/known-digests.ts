import { keyOf, type Digests, type Place } from './stored-state.js';

/** Checkpoints whose digests are remembered. */
const MAX_REMEMBERED = 200;

/** The digests of the values of checkpoints that were stored or read last, so that a value which did not change is not sent again. */
export class KnownDigests {
  private readonly digests = new Map<string, Digests>();

  of(place: Place): Digests | undefined {
    return this.digests.get(keyOf(place));
  }

  remember(place: Place, digests: Digests): void {
    const key = keyOf(place);
    this.digests.delete(key);
    const kept = Object.entries(digests).map(([channel, { version, type, digest }]) => [
      channel,
      { version, type, digest },
    ]);
    this.digests.set(key, Object.fromEntries(kept) as Digests);
    const [oldest] = this.digests.keys();
    if (this.digests.size > MAX_REMEMBERED && oldest !== undefined) this.digests.delete(oldest);
  }

  forget(threadId: string): void {
    for (const key of this.digests.keys()) if (JSON.parse(key)[0] === threadId) this.digests.delete(key);
  }
}
