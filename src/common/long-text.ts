import { DigestInParts, digestOf } from './digest.js';
import type { TimeSlices } from './time-slices.js';

/** Bytes between two looks at the clock. */
const STRIDE = 512 * 1024;

/** A text that may be so long that neither a string of it nor its digest is made before somebody needs it. Immutable. */
export class LongText {
  private knownDigest: string | null = null;

  private constructor(
    private string: string | null,
    private readonly parts: readonly Buffer[],
    /** In bytes. */
    readonly length: number,
  ) {}

  static of(text: string): LongText {
    return new LongText(text, [], Buffer.byteLength(text));
  }

  /** @param parts one after the other, none of which ends within a character; not copied */
  static inParts(parts: readonly Buffer[]): LongText {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return new LongText(null, parts, length);
  }

  toString(): string {
    return (this.string ??= this.parts.map((part) => part.toString()).join(''));
  }

  digest(): string {
    return (this.knownDigest ??= digestOf(this.toString()));
  }

  /** Works out the digest in slices, where there are bytes to do so. */
  async digestCalmly(slices: TimeSlices): Promise<void> {
    if (this.parts.length === 0) return;
    const digest = new DigestInParts();
    for (const part of this.parts) {
      for (let from = 0; from < part.length; from += STRIDE) {
        digest.add(part.subarray(from, from + STRIDE));
        await slices.pauseIfDue();
      }
    }
    this.knownDigest = digest.finish();
  }
}
