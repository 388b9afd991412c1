import { parseExact, stringifyExact, ThreadHistory, WaystationApi } from '../../../src/client/api/waystation-api.js';
import { newThreadId } from '../../factories/events.js';
import { LosingLink } from '../../support/losing-link.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
let link: LosingLink;

beforeAll(async () => {
  link = await LosingLink.to(server.api.baseUrl);
});
afterAll(() => link.close());

/** The thread's history as another process sees it. */
function historyOf(threadId: string, agentId = 'support'): ThreadHistory {
  const { runners } = new WaystationApi({ apiUrl: link.url, token: server.api.token });
  return new ThreadHistory(runners, { thread_id: threadId, trace_id: 'list', agent_id: agentId });
}

describe('A history that several processes share', () => {
  it('is begun once, and loses nothing, when many begin it at the same moment', async () => {
    const threadId = newThreadId();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const histories = names.map(() => historyOf(threadId));
    await Promise.all(
      histories.flatMap((history, index) => [0, 1, 2].map((n) => history.append([`${names[index]}${n}`]))),
    );
    const messages = (await historyOf(threadId).read()) as string[];
    expect([...messages].sort()).toEqual(names.flatMap((name) => [0, 1, 2].map((n) => `${name}${n}`)));
    for (const name of names) {
      expect(messages.filter((one) => one.startsWith(name))).toEqual([0, 1, 2].map((n) => `${name}${n}`));
    }
  });

  it('stores nothing twice when answers get lost', async () => {
    const threadId = newThreadId();
    const [first, second] = [historyOf(threadId), historyOf(threadId)];
    await first.append(['a']);
    link.losing.push('POST', 'POST');
    await Promise.all([first.append(['b']), second.append(['c'])]);
    expect(link.lost).toBe(2);
    expect(((await first.read()) as string[]).sort()).toEqual(['a', 'b', 'c']);
  });

  it('can be changed by each, goes on after it was cleared or deleted, and leaves out what it has', async () => {
    const threadId = newThreadId();
    const [first, second] = [historyOf(threadId), historyOf(threadId)];
    expect(await first.read()).toBeNull();
    await first.append(['a', 'b', 'c']);
    await second.edit((messages) => ({ keep: messages.length - 1, add: ['d'] }));
    await first.append(['c', 'd', 'e'], String);
    expect(await second.read()).toEqual(['a', 'b', 'd', 'c', 'e']);
    await second.clear();
    expect(await first.read()).toEqual([]);
    await first.append(['f']);
    await server.api.delete(`/v1/runners/threads/${threadId}`);
    expect(await second.read()).toBeNull();
    await first.append(['g'], String);
    await second.append(['h']);
    expect(await first.read()).toEqual(['g', 'h']);
  });

  it.each([2, -1, 0.5])('takes no change that keeps %d messages of one', async (keep) => {
    const history = historyOf(newThreadId());
    await history.append(['a']);
    let asked = 0;
    const edited = history.edit(() => {
      if (++asked > 20) throw new Error('It asks again and again.');
      return { keep, add: ['b'] };
    });
    await expect(edited).rejects.toThrow(new RangeError(`The change keeps ${keep} messages of 1.`));
    expect(await history.read()).toEqual(['a']);
  });

  it('tells an agent that it cannot change what another agent has begun', async () => {
    const threadId = newThreadId();
    await historyOf(threadId).append(['a']);
    const other = historyOf(threadId, 'other');
    const refusal = /^Another agent than other .* the same agent_id\.$/;
    await expect(other.append(['b'])).rejects.toThrow(refusal);
    await expect(other.append(['b'], String)).rejects.toThrow(refusal);
    await expect(other.edit(() => ({ keep: 0, add: [] }))).rejects.toThrow(refusal);
    await expect(other.clear()).rejects.toThrow(refusal);
    expect(await other.read()).toEqual(['a']);
  });

  it('keeps numbers in their digits when what was read is appended again', async () => {
    const [first, second] = [newThreadId(), newThreadId()];
    const numbers = '{"id":9007199254740993,"price":1.10}';
    const nameOf = (message: unknown) => stringifyExact(message);
    await historyOf(first).append([parseExact(numbers, { keepsSpelling: true })]);
    await historyOf(second).append((await historyOf(first).read())!);
    await historyOf(second).append((await historyOf(first).read())!, nameOf);
    const { text } = await server.api.get(`/v1/runners/threads/${first}/latest?trace_id=list`);
    expect(text).toContain(`"history":[${numbers}]`);
    expect(stringifyExact(await historyOf(second).read())).toBe('[{"id":9007199254740993,"price":1.1}]');
  });
});
