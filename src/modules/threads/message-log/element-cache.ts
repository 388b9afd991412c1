import { Injectable } from '@nestjs/common';

/** Bytes of blocks for all readers together. */
const MAX_BYTES = 32 * 1024 * 1024;

interface Entry {
  bytes: number;
  block: Promise<Buffer>;
}

/** A bounded LRU cache of log blocks. Blocks never change. */
@Injectable()
export class ElementCache {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  /** The block; simultaneous callers share one read. */
  get(key: string, bytes: number, read: () => Promise<Buffer>): Promise<Buffer> {
    const known = this.entries.get(key);
    if (known) {
      this.entries.delete(key);
      this.entries.set(key, known);
      return known.block;
    }
    const block = read();
    if (bytes > MAX_BYTES / 4) return block;
    const entry = { bytes, block };
    this.entries.set(key, entry);
    this.bytes += bytes;
    block.catch(() => this.drop(key, entry));
    this.shrink();
    return block;
  }

  private shrink(): void {
    for (const [key, entry] of this.entries) {
      if (this.bytes <= MAX_BYTES) return;
      this.drop(key, entry);
    }
  }

  private drop(key: string, entry: Entry): void {
    if (this.entries.get(key) !== entry) return;
    this.entries.delete(key);
    this.bytes -= entry.bytes;
  }
}
