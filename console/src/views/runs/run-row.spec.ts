import { parseExact } from '../../api/exact-json.js';
import { runRow, type ListedThread } from './run-row.js';

const ITEM = {
  thread_id: 'order-1',
  agent_id: 'desk',
  agents: ['support', 'desk'],
  error: null,
  last_message: { role: 'assistant', text: '' },
} as unknown as ListedThread;

describe('A row of the list', () => {
  it('names the agent of the latest step first', () => {
    expect(runRow(ITEM).agents).toEqual(['desk', 'support']);
  });

  it('takes an empty message for none', () => {
    expect(runRow(ITEM).said).toBeNull();
  });

  it.each([
    ['no key', 'no key'],
    [{ message: 'no key', code: 1 }, 'no key'],
    [{ code: 1 }, '{"code":1}'],
    [parseExact('{"code":9007199254740993}') as ListedThread['error'], '{"code":9007199254740993}'],
    ['', null],
    [false, 'false'],
    ['x'.repeat(1000), 'x'.repeat(300)],
  ])('writes the error %j as text', (error, text) => {
    expect(runRow({ ...ITEM, error }).error).toBe(text);
  });
});
