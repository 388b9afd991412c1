import { DigestInParts, digestOf } from './digest.js';
import type { TimeSlices } from './time-slices.js';

/** Bytes between two checks of the time. */
const STRIDE = 512 * 1024;

/** Texts above this size are stored as bytes, because converting them to strings would hold up other requests. */
export const LONG_BYTES = 256 * 1024;

/** An immutable text, possibly very long. Its string and its digest are made only when needed. */
export class LongText {
  private knownDigest: string | null = null;

  private constructor(
    private string: string | null,
    /** Its bytes, unless it was made from a string. */
    private readonly slices: readonly Buffer[],
    /** In bytes. */
    readonly length: number,
  ) {}

  /** @param length in bytes */
  static of(text: string, length = Buffer.byteLength(text)): LongText {
    return new LongText(text, [], length);
  }

  /** A string if the text is short, otherwise its bytes. @param bytes not copied */
  static stringOr(bytes: Buffer): string | LongText {
    return bytes.length > LONG_BYTES ? LongText.inParts([bytes]) : bytes.toString();
  }

  /** @param parts one after the other, none of which ends within a character; not copied */
  static inParts(parts: readonly Buffer[]): LongText {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return new LongText(null, parts, length);
  }

  /** Its bytes, in consecutive parts. */
  get parts(): readonly Buffer[] {
    return this.slices.length > 0 ? this.slices : [Buffer.from(this.toString())];
  }

  /** The same text; copied if it occupies a small part of much larger buffers. */
  detachedFromBody(): LongText {
    if (this.heldBytes <= 2 * this.length + 4096) return this;
    return LongText.inParts([Buffer.concat(this.slices, this.length)]);
  }

  /** Bytes of memory that it retains. */
  get heldBytes(): number {
    const buffers = new Set(this.slices.map((part) => part.buffer));
    return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, this.string === null ? 0 : this.length);
  }

  toString(): string {
    return (this.string ??= this.slices.map((part) => part.toString()).join(''));
  }

  /** A string if it is short or has already been converted. */
  orString(): string | LongText {
    return this.length > LONG_BYTES ? (this.string ?? this) : this.toString();
  }

  digest(): string {
    return (this.knownDigest ??= digestOf(this.toString()));
  }

  /** Computes the digest in slices. */
  async digestInSlices(slices: TimeSlices): Promise<void> {
    if (this.slices.length === 0) return;
    const digest = new DigestInParts();
    for (const part of this.slices) {
      for (let from = 0; from < part.length; from += STRIDE) {
        digest.add(part.subarray(from, from + STRIDE));
        await slices.pauseIfDue();
      }
    }
    this.knownDigest = digest.finish();
  }
}
