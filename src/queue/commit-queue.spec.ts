import { CommitQueue } from './commit-queue.js';

/** Stores good words, a group at a time. */
class WordWriter {
  readonly groups: string[][] = [];
  private begun: (() => void) | null = null;
  private hold: Promise<void> = Promise.resolve();

  async commit(words: readonly string[], isRetry: boolean): Promise<string[]> {
    this.groups.push([...words]);
    this.begun?.();
    await this.hold;
    if (words.includes('bad')) throw new Error(isRetry ? 'bad alone' : 'bad in a group');
    if (words.includes('disk full')) throw new Error('disk full');
    return words.map((word) => `${word}!`);
  }

  failsAlike(error: unknown): boolean {
    return (error as Error).message === 'disk full';
  }

  /** Keeps the next transaction open. */
  async holding(work: () => void): Promise<void> {
    let release!: () => void;
    this.hold = new Promise((resolve) => (release = resolve));
    await new Promise<void>((resolve) => (this.begun = resolve));
    work();
    release();
  }
}

let writer: WordWriter;
let queue: CommitQueue<string, string>;

beforeEach(() => {
  writer = new WordWriter();
  queue = new CommitQueue(writer);
});

describe('A queue of jobs that share transactions', () => {
  it('commits what arrives in the same turn together, and answers each with its own result', async () => {
    await expect(Promise.all([queue.add('a'), queue.add('b')])).resolves.toEqual(['a!', 'b!']);
    expect(writer.groups).toEqual([['a', 'b']]);
  });

  it('commits what arrives during a transaction with the next one', async () => {
    const words = [queue.add('a')];
    await writer.holding(() => words.push(queue.add('b'), queue.add('c')));
    await Promise.all(words);
    expect(writer.groups).toEqual([['a'], ['b', 'c']]);
  });

  it('does not let a job that fails take the others with it', async () => {
    const words = await Promise.allSettled([queue.add('a'), queue.add('bad'), queue.add('c')]);
    expect(words.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message))).toEqual([
      'a!',
      'bad alone',
      'c!',
    ]);
  });

  it('tries none alone where all would fail alike', async () => {
    const words = await Promise.allSettled([queue.add('a'), queue.add('disk full')]);
    expect(words.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(writer.groups).toHaveLength(1);
  });

  it('goes on after a failure, in groups of 64, and is idle at the end', async () => {
    await expect(queue.add('bad')).rejects.toThrow('bad in a group');
    const words = Array.from({ length: 70 }, (_, n) => queue.add(String(n)));
    expect(queue.length).toBe(70);
    await queue.idle();
    expect(queue.length).toBe(0);
    await Promise.all(words);
    expect(writer.groups.map(({ length }) => length)).toEqual([1, 64, 6]);
  });
});
