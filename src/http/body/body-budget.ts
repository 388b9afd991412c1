/** Bytes up to which a body is small. */
const SMALL_BYTES = 256 * 1024;

/**
 * Counts the bytes of all bodies of some callers: as they arrive, as they are decompressed, and until somebody has read them. So neither
 * many slow senders nor small bodies that become large ones can fill the memory.
 */
export class BodyBudget {
  private heldBytes = 0;

  /**
   * @param maxBytes of all bodies
   * @param reservedBytes of them for small bodies alone: large ones that fill the rest do not keep them out
   */
  constructor(
    private readonly maxBytes: number,
    private readonly reservedBytes: number,
  ) {}

  /** The bytes that one body holds, none at first. */
  share(): BodyShare {
    return new BodyShare(this);
  }

  /** Returns false, and reserves nothing, if there is no room. @param heldBefore bytes that the same body holds */
  take(bytes: number, heldBefore: number): boolean {
    const isSmall = heldBefore + bytes <= SMALL_BYTES;
    const limit = isSmall ? this.maxBytes : this.maxBytes - this.reservedBytes;
    if (this.heldBytes + bytes > limit) return false;
    this.heldBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.heldBytes -= bytes;
  }
}

/** The bytes of one body that count in a budget. */
export class BodyShare {
  private heldBytes = 0;

  constructor(private readonly budget: BodyBudget) {}

  /** Returns false if there is no room for that many more. */
  take(bytes: number): boolean {
    if (!this.budget.take(bytes, this.heldBytes)) return false;
    this.heldBytes += bytes;
    return true;
  }

  /** Returns that many bytes to the budget; all by default. */
  give(bytes = this.heldBytes): void {
    this.heldBytes -= bytes;
    this.budget.give(bytes);
  }
}
