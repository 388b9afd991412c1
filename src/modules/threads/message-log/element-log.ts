import type { Range } from './ranges.js';
import { threadNotFound } from '../threads.contract.js';
import type { ElementCache } from './element-cache.js';
import type { ElementsOf, ElementsRepository } from './elements.repository.js';

/** Places whose sizes are read together. */
const SEGMENT = 1024;
/** Bytes of a block of elements; a larger element is its own block. */
const BLOCK_BYTES = 256 * 1024;
const COMMA = Buffer.from(',');

/** Elements in one read: places `from` to `to`. */
interface Block {
  from: number;
  to: number;
  bytes: number;
}

interface Spot {
  block: Block;
  start: number;
  end: number;
}

/**
 * One reading of a thread's log of messages or metadata: any range as bytes, in little memory. Returns slices of shared blocks without
 * copying.
 */
export class ElementLog {
  private readonly segments = new Map<number, Spot[]>();

  constructor(
    private readonly repository: ElementsRepository,
    private readonly cache: ElementCache,
    private readonly log: ElementsOf,
  ) {}

  /**
   * The elements at these places, separated by commas, in slices.
   * @throws DomainError `not_found` if the thread is deleted meanwhile
   */
  async *slices(ranges: readonly Range[]): AsyncGenerator<Buffer> {
    let isFirst = true;
    for (const [from, to] of ranges) {
      for (let place = from; place <= to;) {
        const { block, start } = await this.spot(place);
        const last = Math.min(to, block.to);
        const { end } = await this.spot(last);
        if (!isFirst) yield COMMA;
        yield (await this.read(block)).subarray(start, end);
        isFirst = false;
        place = last + 1;
      }
    }
  }

  /**
   * The elements at these places one by one.
   * @throws DomainError `not_found` if the thread is deleted meanwhile
   */
  async *texts(ranges: readonly Range[]): AsyncGenerator<string> {
    for (const [from, to] of ranges) {
      for (let place = from; place <= to; place++) {
        const { block, start, end } = await this.spot(place);
        yield (await this.read(block)).toString('utf8', start, end);
      }
    }
  }

  private async spot(place: number): Promise<Spot> {
    const number = Math.floor(place / SEGMENT);
    const index = place % SEGMENT;
    const known = this.segments.get(number)?.[index];
    if (known) return known;
    // Not read yet, or the log has grown since.
    const segment = await this.readSegment(number * SEGMENT);
    this.segments.set(number, segment);
    const spot = segment[index];
    if (!spot) throw threadNotFound();
    return spot;
  }

  private async readSegment(firstPlace: number): Promise<Spot[]> {
    const sizes = await this.repository.sizes(this.log, firstPlace, firstPlace + SEGMENT - 1);
    const spots: Spot[] = [];
    let block: Block | null = null;
    for (const [index, size] of sizes.entries()) {
      const place = firstPlace + index;
      if (!block || block.bytes + 1 + size > BLOCK_BYTES) block = { from: place, to: place, bytes: size };
      else Object.assign(block, { to: place, bytes: block.bytes + 1 + size });
      spots.push({ block, start: block.bytes - size, end: block.bytes });
    }
    return spots;
  }

  private read(block: Block): Promise<Buffer> {
    const { threadPk, list } = this.log;
    const key = `${threadPk}:${list}:${block.from}-${block.to}`;
    return this.cache.get(key, block.bytes, async () => {
      const bytes = await this.repository.joined(this.log, block.from, block.to);
      if (bytes.length !== block.bytes) throw threadNotFound();
      return bytes;
    });
  }
}
