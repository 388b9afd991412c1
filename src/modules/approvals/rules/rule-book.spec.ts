import { jest } from '@jest/globals';
import { Logger } from '../../../common/logger.js';
import { Database, type SqlReader } from '../../../database/database.js';
import { RuleBook } from './rule-book.js';
import { RulesRepository } from './rules.repository.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const RULE = '{"effect":"ask","agents":["*"],"tools":["*"],"note":"Ask."}';
const reader = {} as SqlReader;

/** What is stored: the ids of the active rules, and when their rows are found. */
class Stored {
  ids: string[] = [];
  found: Promise<void> = Promise.resolve();

  activeIds(): Promise<string[]> {
    return Promise.resolve([...this.ids]);
  }

  async findAll(ids: readonly string[]): Promise<object[]> {
    if (ids.length > 0) await this.found;
    return ids.map((id) => ({ id, rule: RULE, created_at: 1, expires_at: null }));
  }
}

function bookOf(stored: Stored): RuleBook {
  const database = { isShared: true } as Database;
  return new RuleBook(stored as unknown as RulesRepository, database, {} as Logger);
}

it('Rules that end while others are being read are none the less whole', async () => {
  const stored = new Stored();
  const book = bookOf(stored);
  stored.ids = ['one'];
  await book.active(reader, NOW_MS);
  let release = () => undefined as void;
  stored.found = new Promise<void>((resolve) => (release = resolve));
  stored.ids = ['one', 'two'];
  const slow = book.active(reader, NOW_MS);
  await Promise.resolve();
  stored.ids = [];
  await book.active(reader, NOW_MS);
  release();
  expect((await slow).map((rule) => rule?.id)).toEqual(['one', 'two']);
});

describe('Who makes a rule', () => {
  beforeEach(() => jest.useFakeTimers({ now: NOW_MS }));
  afterEach(() => jest.useRealTimers());

  it('waits until others must know that there are rules, whenever those were made', async () => {
    const stored = new Stored();
    const book = bookOf(stored);
    const waitMs = async (...ids: string[]) => {
      stored.ids = ids;
      return book.waitMsBeside(await book.active(reader, NOW_MS));
    };
    expect(await waitMs('old')).toBe(1_000);
    jest.advanceTimersByTime(999);
    expect(await waitMs('old')).toBe(1_000);
    jest.advanceTimersByTime(1);
    expect(await waitMs('old')).toBe(0);
    expect(await waitMs('another')).toBe(1_000);
    book.noteMade('made here');
    jest.advanceTimersByTime(1_000);
    expect(await waitMs('made here')).toBe(0);
  });
});
