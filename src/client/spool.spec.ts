import { MemorySpool } from './spool.js';

const event = (text: string) => ({ threadId: 't', text });
const texts = async (spool: MemorySpool) => (await spool.peek(100, 1e9)).map(({ text }) => text);

describe('A spool in memory', () => {
  it('gives events back in their order until they are removed', async () => {
    const spool = new MemorySpool();
    await spool.append([event('a'), event('b')]);
    await spool.append([event('c')]);
    expect(await texts(spool)).toEqual(['a', 'b', 'c']);
    const [first] = await spool.peek(1, 1e9);
    await spool.remove([first!.key, 999]);
    expect(await texts(spool)).toEqual(['b', 'c']);
  });

  it('keeps the newest when it is full, and says how many are lost', async () => {
    const spool = new MemorySpool(10);
    expect(await spool.append([event('1111'), event('2222')])).toBe(0);
    expect(await spool.append([event('3333'), event('4444')])).toBe(2);
    expect(await texts(spool)).toEqual(['3333', '4444']);
  });

  it('keeps the newest even when it is too large alone', async () => {
    const spool = new MemorySpool(3);
    await spool.append([event('1')]);
    expect(await spool.append([event('too large')])).toBe(1);
    expect(await texts(spool)).toEqual(['too large']);
  });

  it('gives out no more than was asked for, but always one', async () => {
    const spool = new MemorySpool();
    await spool.append([event('aaaa'), event('bbbb'), event('cccc')]);
    expect(await spool.peek(2, 1e9)).toHaveLength(2);
    expect(await spool.peek(10, 8)).toHaveLength(2);
    expect(await spool.peek(10, 1)).toHaveLength(1);
  });
});
