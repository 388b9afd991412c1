import { parseRanges, placesOf } from './ranges.js';
import { ElementCache } from './element-cache.js';
import { ElementLog } from './element-log.js';
import type { ElementsOf, ElementsRepository } from './elements.repository.js';

/** A log in memory that counts reads. */
class FakeElements implements Pick<ElementsRepository, 'sizes' | 'joined'> {
  readonly reads: string[] = [];

  constructor(readonly elements: string[]) {}

  async sizes(_log: ElementsOf, from: number, to: number): Promise<number[]> {
    return this.elements.slice(from, to + 1).map((element) => Buffer.byteLength(element));
  }

  async joined(_log: ElementsOf, from: number, to: number): Promise<Buffer> {
    this.reads.push(`${from}-${to}`);
    return Buffer.from(this.elements.slice(from, to + 1).join(','));
  }
}

function open(repository: FakeElements, cache = new ElementCache()): ElementLog {
  return new ElementLog(repository as unknown as ElementsRepository, cache, { threadPk: 1, list: 0 });
}

async function sliced(log: ElementLog, ranges: string): Promise<string> {
  const slices: Buffer[] = [];
  for await (const slice of log.slices(parseRanges(ranges))) slices.push(slice);
  return Buffer.concat(slices).toString();
}

async function texts(log: ElementLog, ranges: string): Promise<string[]> {
  const all: string[] = [];
  for await (const text of log.texts(parseRanges(ranges))) all.push(text);
  return all;
}

/** Elements of many sizes, some larger than a block, with characters of one to four bytes. */
function elements(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `"${n} ${'aé😀'.repeat(n % 97 === 13 ? 40_000 : n % 50)}"`);
}

describe('A log of elements', () => {
  const all = elements(2500);

  it.each(['0', '0-2499', '5-7,1020-1030,2499', '12-14', ''])(
    'gives the places %j as they were stored',
    async (ranges) => {
      const log = open(new FakeElements(all));
      const wanted = [...placesOf(parseRanges(ranges))].map((place) => all[place]!);
      expect(await sliced(log, ranges)).toBe(wanted.join(','));
      expect(await texts(log, ranges)).toEqual(wanted);
    },
  );

  it('reads each block once, however often and by however many readers it is wanted', async () => {
    const repository = new FakeElements(all.filter((element) => element.length < 1000));
    const cache = new ElementCache();
    await Promise.all(Array.from({ length: 3 }, () => sliced(open(repository, cache), '0-2000')));
    await sliced(open(repository, cache), '0-1999');
    expect(new Set(repository.reads).size).toBe(repository.reads.length);
    expect(repository.reads.length).toBeLessThan(12);
  });

  it('shows what was added since it was first read', async () => {
    const repository = new FakeElements(['"a"', '"b"']);
    const log = open(repository);
    expect(await sliced(log, '0-1')).toBe('"a","b"');
    repository.elements.push('"c"');
    expect(await sliced(log, '0-2')).toBe('"a","b","c"');
  });

  it('fails where the elements are gone', async () => {
    const repository = new FakeElements(['"a"', '"b"']);
    await expect(sliced(open(repository), '0-2')).rejects.toMatchObject({ code: 'thread_not_found' });
    const log = open(repository);
    await texts(log, '');
    repository.joined = async () => Buffer.from('"a"');
    await expect(sliced(log, '0-1')).rejects.toMatchObject({ code: 'thread_not_found' });
  });
});

describe('The cache of blocks', () => {
  const megabytes = (count: number) => count * 1024 * 1024;

  it('forgets what was longest unused, and keeps nothing that would push out most of the rest', async () => {
    const cache = new ElementCache();
    const read: string[] = [];
    const get = (key: string, bytes: number) =>
      cache.get(key, bytes, async () => {
        read.push(key);
        return Buffer.alloc(0);
      });
    for (const key of ['a', 'b', 'c', 'd']) await get(key, megabytes(8));
    await get('a', megabytes(8));
    await get('e', megabytes(8));
    await get('huge', megabytes(9));
    for (const key of ['a', 'c', 'huge', 'b']) await get(key, megabytes(8));
    expect(read).toEqual(['a', 'b', 'c', 'd', 'e', 'huge', 'huge', 'b']);
  });

  it('does not keep what could not be read', async () => {
    const cache = new ElementCache();
    await expect(cache.get('a', 1, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect((await cache.get('a', 1, async () => Buffer.from('x'))).toString()).toBe('x');
  });
});
