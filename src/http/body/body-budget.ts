/** Bytes up to which a body is small. */
const SMALL_BYTES = 256 * 1024;

/**
 * Counts the bytes of all bodies of a group of callers while they arrive, are decompressed and are in use, so that neither slow senders nor
 * decompression can fill the memory.
 */
export class BodyBudget {
  private heldBytes = 0;

  /**
   * @param maxBytes of all bodies
   * @param reservedBytes of these for small bodies, so that large ones cannot crowd them out
   */
  constructor(
    private readonly maxBytes: number,
    private readonly reservedBytes: number,
  ) {}

  /** One body's share, empty at first. */
  share(): BodyShare {
    return new BodyShare(this);
  }

  /** Returns false and reserves nothing if there is no room. @param heldBefore bytes that this body already holds */
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

/** One body's bytes in a budget. */
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
