import { CliError } from './cli-error.js';
import { findByPrefix } from './ids.js';

const find = (begin: string, ids: readonly string[]) =>
  findByPrefix(begin, { noun: 'run', items: ids, idOf: (id) => id });

describe('The beginning of an id', () => {
  it('stands for the whole where no other begins so', async () => {
    expect(await find('ab', ['abc', 'xyz'])).toBe('abc');
    expect(await find('abc', ['abcd', 'abc'])).toBe('abc');
    expect(await find('a', ['abc', 'abc'])).toBe('abc');
  });

  it('of several names them, ten at most', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `a${index}\u001b`);
    const error = await find('a', ids).catch((thrown: unknown) => thrown as CliError);
    expect(error).toMatchObject({ exitCode: 2 });
    const lines = (error as CliError).message.split('\n');
    expect(lines[0]).toBe('More than one run begins with a:');
    expect(lines[1]).toBe('  a0\\u001b');
    expect(lines.slice(11)).toEqual(['  and 2 more']);
  });

  it.each(['', 'b', 'abcd'])('%j is that of none', async (begin) => {
    await expect(find(begin, ['abc'])).rejects.toMatchObject({ exitCode: 1, message: `There is no run ${begin}.` });
  });
});
