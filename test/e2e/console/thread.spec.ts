import type { Page } from 'playwright-core';
import { checkpoint, completed, newThreadId } from '../../factories/events.js';
import { axeViolations } from '../../support/console/axe.js';
import { type ConsoleOptions } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { differences, freshMessages, letters, transcript } from '../../support/console/transcript.js';
import { scrolledTo, settledAt } from '../../support/console/transcript.js';
import { freePort } from '../../support/free-port.js';
import { EVENTS, ok, record } from '../../support/recording.js';
import { recordedRuns } from '../../support/replay-source.js';
import { useServer } from '../../support/test-server.js';

// The server restarts at the same address.
const server = useServer({ env: { WAYSTATION_PORT: String(await freePort()) } });

interface Said {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

const BIG = '9007199254740993';
const NARROW = { width: 390, height: 844 };

describeInBrowser('A thread in the console', () => {
  const openPage = useConsole(server);

  function open(threadId: string, query = '', options: ConsoleOptions = {}): Promise<Page> {
    return openPage({ ...options, path: `/threads/${encodeURIComponent(threadId)}${query}` });
  }

  it('shows a real history up to any step, each message once and whole', async () => {
    const messages = realHistory();
    const threadId = newThreadId('real');
    const steps = await replay(threadId, messages);
    const page = await open(threadId, `?step=1-${steps - 2}`);
    await stepShown(page, steps - 2);
    const upTo = messages.slice(0, lengthAt(messages, steps - 2));
    expect(letters(await transcript(page))).toEqual(letters(expected(upTo)));
    await page.keyboard.press('j');
    await stepShown(page, steps - 1);
    await page.getByText(`to step ${steps - 1}`).waitFor();
    expect(letters(await transcript(page))).toEqual(letters(expected(messages)));
    expect(await axeViolations(page)).toEqual([]);
  });

  it('is gone through by keys, and its address says where one is', async () => {
    const threadId = newThreadId('keys');
    for (let step = 0; step < 6; step++) await record(server.api, checkpoint(threadId, step));
    const page = await open(threadId);
    await stepShown(page, 5);
    for (const [key, step] of [
      ['k', 4],
      ['ArrowLeft', 3],
      ['Home', 0],
      ['ArrowRight', 1],
      ['j', 2],
    ] as const) {
      await page.keyboard.press(key);
      await stepShown(page, step);
      await page.waitForURL(`**step=1-${step}`);
    }
    expect(await freshMessages(page)).toEqual(['message 5', 'message 6']);
    await page.reload();
    await stepShown(page, 2);
    await page.keyboard.press('Escape');
    await stepShown(page, 5);
    await page.waitForURL((url) => !url.search.includes('step'));
    await page.getByRole('button', { name: 'Previous step' }).click();
    await stepShown(page, 4);
  });

  it('tells what a step brought and took, against any other step', async () => {
    const threadId = newThreadId('summary');
    const said = (...contents: string[]) => contents.map((content) => ({ role: 'user', content }));
    const histories = [said('a', 'b'), said('a', 'b', 'c', 'd'), said('a summary', 'd', 'e')];
    for (const [step, history] of histories.entries())
      await record(server.api, checkpoint(threadId, step, { history, note: `note ${step}` }));
    const page = await open(threadId, '?run=run-1');
    await page.getByText('3 messages of the step before are no longer there').waitFor();
    expect(await freshMessages(page)).toEqual(['message 1', 'message 3']);
    await page.getByRole('tab', { name: 'Difference' }).click();
    await page.waitForURL('**tab=difference');
    const told = ['Added: a summary', 'Removed: a b c', 'Added: e'];
    expect(await differences(page)).toEqual(told);
    await page.reload();
    expect(await differences(page)).toEqual(told);
    await page.getByText('"note": "note 1"').waitFor();
    await page.getByLabel('Compared with').selectOption({ label: 'step 0' });
    await page.waitForURL('**compare=1-0');
    await page.getByText('"note": "note 0"').waitFor();
    expect(await differences(page)).toEqual(['Added: a summary d e', 'Removed: a b']);
    const other = checkpoint(threadId, 0, { trace_id: 'run-2', history: said('a', 'z'), note: 'of another run' });
    await record(server.api, other);
    await page.locator('.compared select').nth(1).selectOption('run-2');
    await page.waitForURL('**against=run-2');
    await page.getByText('"note": "of another run"').waitFor();
    expect((await differences(page)).join()).toContain('z');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('shows every number in its digits: in calls, approvals and the raw step', async () => {
    const threadId = newThreadId('exact');
    const call = { id: 'call_1', type: 'function', function: { name: 'refund', arguments: `{"order":${BIG}}` } };
    const waiting = checkpoint(threadId, 0, {
      history: [{ role: 'assistant', content: null, tool_calls: [call] }],
      status: 'waiting_for_approval',
      pending_tool_calls: [{ id: 'call_1', name: 'refund', args: { order: 'BIG' } }],
      total: 'BIG',
    });
    ok(await server.api.post(EVENTS, JSON.stringify({ events: [waiting] }).replaceAll('"BIG"', BIG)));
    await claim(
      threadId,
      `{"trace_id":"run-1","agent_id":"support","key":"mail:1","tool":"mail","args":{"order":${BIG}}}`,
    );
    const page = await open(threadId, '?tab=approval');
    const details = page.getByRole('region', { name: 'Details of the step' });
    await details.getByText('pending').waitFor();
    expect(await details.innerText()).toContain(`"order": ${BIG}`);
    await page.getByRole('tab', { name: 'Raw' }).click();
    await details.getByRole('tree').waitFor();
    expect(await details.innerText()).toContain(BIG);
    await page.getByRole('tab', { name: 'Effects' }).click();
    await details.getByText('mail:1').waitFor();
    expect(await details.innerText()).toContain(BIG);
    const { digest } = (await server.api.get(`/approvals?thread_id=${threadId}`)).json<{
      items: { digest: string }[];
    }>().items[0]!;
    ok(await server.api.post('/approvals/run-1/0/approve', { digest, decided_by: 'Kim', reason: 'fine with me' }));
    await page.getByRole('tab', { name: 'Approval' }).click();
    await details.getByText('fine with me').waitFor();
    expect(await details.innerText()).toMatch(/approved\s+by Kim/);
  });

  it('follows its steps, and moves nothing under someone who looks at an earlier one', async () => {
    const threadId = newThreadId('live');
    for (let step = 0; step < 12; step++) await record(server.api, checkpoint(threadId, step));
    const page = await open(threadId);
    await stepShown(page, 11);
    await record(server.api, checkpoint(threadId, 12));
    await stepShown(page, 12);
    await page.getByRole('article', { name: 'message 26' }).first().waitFor();
    await page.keyboard.press('k');
    await stepShown(page, 11);
    const before = await settledAt(page);
    await record(server.api, checkpoint(threadId, 13), completed(threadId));
    await page.getByRole('button', { name: '2 newer steps' }).waitFor();
    await stepShown(page, 11);
    expect(await scrolledTo(page)).toBe(before);
    await page.getByRole('button', { name: '2 newer steps' }).click();
    await stepShown(page, 13);
    await page.getByRole('article', { name: 'message 28' }).first().waitFor();
  });

  it('comes back with its server, and tells when it was deleted', async () => {
    const threadId = newThreadId('lost');
    await record(server.api, checkpoint(threadId, 0));
    const page = await open(threadId);
    await stepShown(page, 0);
    await server.process.stop();
    await page.getByText('Waystation does not answer').waitFor();
    await server.restart();
    await record(server.api, checkpoint(threadId, 1));
    await stepShown(page, 1);
    await page.getByText('Waystation does not answer').waitFor({ state: 'detached' });
    await server.api.delete(`/threads/${threadId}`);
    await page.getByText('This thread has just been deleted').waitFor();
    await stepShown(page, 1);
    await page.reload();
    await page.getByText('There is no such thread').waitFor();
  });

  it('is found by an id of any characters, and of any length', async () => {
    const ids = ['a/b?c#d&e', '100% %2F', 'ü \u202e 日本', '"quoted" <b>', 'x'.repeat(500)];
    for (const id of ids) await record(server.api, checkpoint(id, 0));
    const page = await open('known', '', NARROW);
    await page.getByText('There is no such thread').waitFor();
    for (const id of ids) {
      await page.goto(`${server.api.baseUrl}/console/threads/${encodeURIComponent(id)}`);
      await page.getByRole('article', { name: 'message 2' }).first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });

  it('finds what was said, also in the result of a folded call', async () => {
    const threadId = newThreadId('find');
    await replay(threadId, generatedHistory(60));
    const page = await open(threadId);
    await stepShown(page, 59);
    await page.keyboard.press('/');
    await page.keyboard.type('needle 7 ');
    const finder = page.getByRole('search', { name: '' }).filter({ has: page.getByLabel('Find in the transcript') });
    await finder.getByText('1', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('needle 7 in the haystack').first().waitFor();
    await page.waitForURL('**find=needle*');
    const drawn = await page.locator('.transcript article').count();
    expect(drawn).toBeLessThan(50);
  });

  it('draws pictures whose data it has, and asks nobody for others', async () => {
    const threadId = newThreadId('pictures');
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      { type: 'image_url', image_url: { url: 'https://spy.example/p.png' } },
      { type: 'image_url', image_url: { url: 'data:image/svg+xml,<svg onload="alert(1)"/>' } },
    ];
    await record(server.api, checkpoint(threadId, 0, { history: [{ role: 'user', content }] }));
    const page = await open(threadId);
    const said = page.locator('.transcript');
    await said.getByText('https://spy.example/p.png').waitFor();
    await said.getByText('image/svg+xml, 1 kB').waitFor();
    expect(await said.locator('img').count()).toBe(1);
    const drawn = `document.querySelector('.transcript img')`;
    expect(await page.evaluate(`${drawn}.decode().then(() => ${drawn}.naturalWidth)`)).toBe(1);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('leads to the next one of the list that somebody came from', async () => {
    const ids = [1, 2, 3].map(() => newThreadId('triage'));
    for (const id of ids) await record(server.api, checkpoint(id, 0, { agent_id: 'triage' }));
    const page = await openPage({ path: '/?agent=triage' });
    await page.getByRole('link', { name: ids[1]! }).click();
    await page.getByText('2 of 3').waitFor();
    await page.keyboard.press(']');
    await page.getByRole('heading', { name: ids[0]! }).waitFor();
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await page.getByRole('heading', { name: ids[2]! }).waitFor();
  });

  it('fits a narrow window', async () => {
    const threadId = newThreadId('narrow');
    await replay(threadId, generatedHistory(4));
    const page = await open(threadId, '?tab=difference', NARROW);
    await stepShown(page, 3);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
  });

  async function claim(threadId: string, body: string): Promise<void> {
    const answer = await server.api.post(`/v1/runners/threads/${threadId}/effects`, body);
    expect([200, 201]).toContain(answer.status);
  }

  /** A checkpoint after each assistant message, with the whole history so far. */
  async function replay(threadId: string, messages: readonly Said[]): Promise<number> {
    const ends = stepEnds(messages);
    const events = ends.map((end, step) => checkpoint(threadId, step, { history: messages.slice(0, end) }));
    await record(server.api, ...events);
    return ends.length;
  }
});

/** A recorded real run, if this machine has any. */
function realHistory(): Said[] {
  const run = recordedRuns().find(({ id, messages }) => messages.length > 20 && !id.includes('swe'));
  return run ? run.messages.map((text) => JSON.parse(text) as Said) : generatedHistory(15);
}

function generatedHistory(turns: number): Said[] {
  return Array.from({ length: turns }, (_, turn) => [
    ...(turn > 0
      ? [{ role: 'tool', tool_call_id: `c${turn - 1}`, content: `needle ${turn - 1} in the haystack` }]
      : []),
    { role: 'user', content: `Question ${turn}` },
    {
      role: 'assistant',
      content: `Answer ${turn}`,
      tool_calls: [{ id: `c${turn}`, type: 'function', function: { name: 'look', arguments: `{"turn":${turn}}` } }],
    },
  ]).flat();
}

function stepEnds(messages: readonly Said[]): number[] {
  const ends = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index + 1] : []));
  return ends.at(-1) === messages.length ? ends : [...ends, messages.length];
}

function lengthAt(messages: readonly Said[], step: number): number {
  return stepEnds(messages)[step]!;
}

/** The expected transcript, without results, which are folded into their calls. */
function expected(messages: readonly Said[]): [string, string][] {
  return messages.flatMap(({ role, content, tool_calls = [] }, index): [string, string][] => {
    const calls = tool_calls.map((call) => call.function.name).join('');
    return role === 'tool' ? [] : [[`message ${index + 1}`, `${content ?? ''}${calls}`]];
  });
}

async function stepShown(page: Page, step: number): Promise<void> {
  await page.getByRole('heading', { name: `Step ${step}`, exact: true }).waitFor();
}
