import type { Page } from 'playwright-core';
import { MAIL, newRun, REFUND, toolCall, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf, approvalPath, decided } from '../../support/approvals.js';
import { axeViolations } from '../../support/console/axe.js';
import { untilTrue, type ConsoleOptions } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { rawAt, rawElements } from '../../support/raw-json.js';
import { ok, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();

/** Arguments as text: JavaScript numbers cannot hold them. */
const EXACT = '{"order":9007199254740993,"eur":149.00}';
const MANY = 500;

describeInBrowser('The approvals in the console', () => {
  const openPage = useConsole(server);

  function open(path = '/approvals', options: ConsoleOptions = {}): Promise<Page> {
    return openPage({ path, ...options });
  }

  /** Shows only this agent's approvals, so tests do not see each other's. */
  async function openOf(agent: string, options: ConsoleOptions = {}): Promise<Page> {
    const page = await open(`/approvals?agent=${agent}`, options);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  }

  async function asked(agent: string, fields: Record<string, unknown> = {}): Promise<RunIds> {
    const run = newRun();
    await record(server.api, waiting(run, 1, { agent_id: agent, ...fields }));
    return run;
  }

  /** Decisions are not accepted just after a change. */
  const settled = (page: Page) => page.locator('.inbox[aria-busy="false"]').waitFor();
  const statusOf = async (run: RunIds) => (await approvalOf(server.api, run, 1)).status;
  const becomes = (run: RunIds, status: string) =>
    waitFor(`status ${status}`, async () => ((await statusOf(run)) === status ? true : undefined));

  it('can be tried with a command that the empty inbox shows', async () => {
    const page = await open();
    await page.getByText('Nothing waits for you').waitFor();
    await page.getByRole('button', { name: 'Create a token and show the command' }).click();
    const command = await page.locator('.command pre').innerText();
    const [, token, body] = /Bearer (wst_[\w-]+)'[^]*-d '([^]*)'$/.exec(command)!;
    expect(await axeViolations(page)).toEqual([]);
    expect((await server.api.as(token!).post('/v1/runners/events', body)).json()).toEqual({ saved: 1, rejected: [] });
    await page.locator('.ask').waitFor();
    await settled(page);
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click();
    await page.getByText('That was the last one').waitFor();
    // Once more, with a new command.
    await page.reload();
    await page.getByRole('button', { name: 'Create a token and show the command' }).click();
    const again = await page.locator('.command pre').innerText();
    const second = /Bearer (wst_[\w-]+)'[^]*-d '([^]*)'$/.exec(again)!;
    await server.api.as(second[1]!).post('/v1/runners/events', second[2]);
    await page.locator('.ask').waitFor();
    await server.api.delete('/threads/refund');
  });

  it('are decided by keyboard alone, as they arrive, to the last one', async () => {
    const page = await open();
    await page.getByText('Nothing waits for you').waitFor();
    const refund = await asked('desk', { history: [{ role: 'user', content: 'Where is my **money**?' }] });
    await page.locator('.ask').waitFor();
    const mail = await asked('desk', { pending_tool_calls: [MAIL] });
    await page.locator('.ask').nth(1).waitFor();
    await untilTrue(page, 'document.title.startsWith("(2) Approvals")');
    expect(await page.locator('.navigation .count').innerText()).toMatch(/^2/);
    // What led to it is loaded after the question itself.
    await page.locator('.ask').first().getByText('Where is my money?').waitFor();
    expect(await page.locator('.ask').first().innerText()).toMatch(/issue_refund[^]*4711[^]*Where is my money\?/);

    await settled(page);
    await page.keyboard.press('j');
    await page.keyboard.press('m');
    await page.keyboard.type('ask her first');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await becomes(mail, 'rejected');
    expect(await approvalOf(server.api, mail, 1)).toMatchObject({ reason: 'ask her first' });
    await page
      .locator('.ask.closed')
      .getByText(/^Rejected/)
      .waitFor();
    // The selection moved on to the other one.
    await page.keyboard.press('a');
    await becomes(refund, 'approved');
    await page.getByText('That was the last one').waitFor();
    await untilTrue(page, 'document.title.startsWith("Approvals")');
    expect(await axeViolations(page)).toEqual([]);
    const approved = page.locator('.ask.closed').filter({ hasText: 'Approved' });
    await approved.getByRole('link', { name: 'Open the thread' }).click();
    await page.waitForURL(`**/threads/${encodeURIComponent(refund.threadId)}?**`);
  });

  it('take other arguments, to the last digit, and say where JSON is wrong', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'refund', arguments: EXACT } };
    const run = await asked('editor', { pending_tool_calls: [call], approval_features: ['edit_args'] });
    const page = await openOf('editor');
    const card = page.locator('.ask');
    expect(await card.locator('.arguments').innerText()).toBe('{\n  "order": 9007199254740993,\n  "eur": 149.00\n}');
    await settled(page);
    await page.keyboard.press('e');
    const area = card.getByLabel('The arguments to use instead, as JSON');
    await area.fill('{\n  "order": 9007199254740993,\n  "eur": 15.10,\n}');
    await card.getByText('Line 3, column 15: nothing follows this comma.').waitFor();
    await page.keyboard.press('Control+Enter');
    await card.getByText('The arguments of refund are not JSON: line 3, column 15').waitFor();
    expect(await statusOf(run)).toBe('pending');

    await area.fill('{\n  "order": 9007199254740993,\n  "eur": 15.10\n}');
    const difference = card.getByLabel('What the edit changes');
    expect(await difference.locator('.added').innerText()).toContain('"eur": 15.10');
    expect(await difference.locator('.removed').innerText()).toContain('"eur": 149.00');
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await becomes(run, 'approved');
    const answer = ok(await server.api.get(approvalPath(run.traceId, 1)));
    const [kept] = rawElements(rawAt(answer.text, 'tool_calls')!);
    expect(rawAt(kept!, 'edited_args')).toBe('{"order":9007199254740993,"eur":15.10}');
  });

  it('are decided call by call where the agent reads that, and together where it does not', async () => {
    const calls = { pending_tool_calls: [REFUND, MAIL] };
    const split = await asked('splitter', { ...calls, approval_features: ['per_call'] });
    const page = await openOf('splitter');
    await page.getByRole('checkbox', { name: 'send_mail' }).waitFor();
    await settled(page);
    await page.keyboard.press('2');
    await page.getByRole('button', { name: 'Approve 1 of 2' }).click();
    await becomes(split, 'approved');
    const { tool_calls: decisions } = await approvalOf(server.api, split, 1);
    expect(decisions.map(({ decision }) => decision)).toEqual(['approve', 'reject']);

    const together = await asked('splitter', calls);
    await page.getByText('This agent takes one decision for all these calls.').waitFor();
    await settled(page);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.keyboard.press('r');
    await becomes(together, 'rejected');
  });

  it('that change while somebody looks say so, and show what differs', async () => {
    const run = await asked('changer');
    const page = await openOf('changer');
    await page.getByText('issue_refund').first().waitFor();
    // A key that was meant for the previous calls.
    await page.evaluate(`(() => {
      const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
      const observer = new MutationObserver(() => {
        if (!document.querySelector('.changed')) return;
        observer.disconnect();
        setTimeout(press, 50);
      });
      observer.observe(document.querySelector('.inbox'), { childList: true, subtree: true });
    })()`);
    const changed = { agent_id: 'changer', pending_tool_calls: [toolCall('issue_refund', { order: 4711, cents: 5 })] };
    await record(server.api, waiting(run, 1, changed));
    await page.getByText('The agent changed its calls while they waited.').waitFor();
    expect(await page.locator('.ask').count()).toBe(1);
    await page.getByText('the list changed a moment ago').waitFor();
    await settled(page);
    expect(await statusOf(run)).toBe('pending');
    await page.getByRole('button', { name: 'Show what differs' }).click();
    expect(await page.locator('.json-diff .removed').innerText()).toContain('"cents": 1999');
    await page.keyboard.press('a');
    await becomes(run, 'approved');
  });

  it('that changed unseen are not decided: the server is sent what was shown', async () => {
    const run = await asked('racer');
    const page = await open('/approvals?agent=racer');
    // The page gets no events.
    await page.route('**/approvals/stream', (route) => route.abort());
    await page.reload();
    await page.locator('.ask').waitFor();
    await settled(page);
    const sent = page.waitForRequest((request) => request.url().includes('/approve'));
    const shown = await approvalOf(server.api, run, 1);
    await page.route('**/approve?**', async (route) => {
      const changed = { agent_id: 'racer', pending_tool_calls: [MAIL] };
      await record(server.api, waiting(run, 1, changed));
      await route.continue();
    });
    await page.keyboard.press('a');
    expect((await sent).postDataJSON()).toEqual({ digest: shown.digest });
    await page.getByText('The agent changed its calls while they waited.').waitFor();
    await page.locator('.ask').getByText('send_mail').first().waitFor();
    expect(await statusOf(run)).toBe('pending');
    await decided(server.api, 'reject', run, 1, { digest: (await approvalOf(server.api, run, 1)).digest });
  });

  it('that somebody else decides stay selected: a key that was meant for them decides nothing', async () => {
    const first = await asked('pair');
    const second = await asked('pair');
    const page = await openOf('pair');
    await page.locator('.ask').nth(1).waitFor();
    await decided(server.api, 'reject', first, 1, { decided_by: 'kim' });
    await page.getByText('Rejected by kim').waitFor();
    for (const key of ['a', 'Control+Enter', 'j']) await page.keyboard.press(key);
    await page.locator('article[aria-current="true"][aria-posinset="2"]').waitFor();
    // Nor does a key pressed behind a dialog.
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    for (const key of ['a', 'Control+Enter', 'Escape']) await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await settled(page);
    await page.keyboard.press('r');
    await becomes(second, 'rejected');
  });

  it('that are too large to show whole can only be rejected', async () => {
    const run = await asked('bulky', {
      pending_tool_calls: [REFUND, toolCall('send', { text: 'x'.repeat(1_100_000) })],
    });
    const page = await openOf('bulky');
    await page.getByText('you cannot approve them here').waitFor();
    await settled(page);
    expect(await page.getByRole('button', { name: /Approve|Edit/ }).count()).toBe(0);
    await page.keyboard.press('a');
    await page.getByText('they cannot be approved here.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('r');
    await becomes(run, 'rejected');
  });

  it('that others decide, or that expire, stay in sight and say so', async () => {
    const run = await asked('others');
    const page = await openOf('others');
    // Only now: a page that opens slowly would find it expired.
    await asked('others', { approval_timeout_seconds: 10 });
    await page.getByText(/expires in/).waitFor();
    await decided(server.api, 'approve', run, 1, { decided_by: 'kim', reason: 'known customer' });
    await page.getByText('Approved by kim').waitFor();
    await page.getByText('known customer').waitFor();
    await page.getByText('Expired: nobody decided in time').waitFor();
    await page.getByRole('button', { name: 'Clear 2 closed' }).click();
    await page.locator('.ask').first().waitFor({ state: 'detached' });
    await page.getByText('That was the last one').or(page.getByText('Nothing')).first().waitFor();
  });

  it('cannot be decided in a session that may only read, which says why', async () => {
    const run = await asked('reader', { approval_features: ['edit_args'] });
    const { token } = (await server.api.post('/v1/tokens', { scope: 'reader' })).json<{ token: string }>();
    const page = await openPage({ path: '/approvals?agent=reader' }, token);
    await page.getByText('This session may only read.').waitFor();
    expect(await page.getByRole('button', { name: /Approve|Reject|Edit/ }).count()).toBe(0);
    for (const key of ['a', 'r', 'e']) await page.keyboard.press(key);
    expect(await axeViolations(page)).toEqual([]);
    expect(await statusOf(run)).toBe('pending');
    await decided(server.api, 'reject', run, 1);
  });

  it('are decided with one thumb', async () => {
    const run = await asked('thumb', { pending_tool_calls: [toolCall('send', { text: 'x'.repeat(3_000) })] });
    const page = await openOf('thumb', { width: 390, height: 844 });
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.scrollIntoViewIfNeeded();
    const box = (await approve.boundingBox())!;
    expect(box.height).toBeGreaterThanOrEqual(44);
    expect(box.width).toBeGreaterThanOrEqual(120);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeViolations(page)).toEqual([]);
    await settled(page);
    await approve.click();
    await becomes(run, 'approved');
  });

  it(`stay quick when ${MANY} wait`, async () => {
    for (let from = 0; from < MANY; from += 50) {
      const runs = Array.from({ length: 50 }, () => waiting(newRun(), 1, { agent_id: 'batch' }));
      await record(server.api, ...runs);
    }
    const page = await openOf('batch');
    const waits = (count: number) => page.getByRole('link', { name: `batch ${count}` }).waitFor();
    await waits(MANY);
    expect(await page.locator('.ask').count()).toBeLessThan(20);
    for (let moved = 0; moved < 20; moved += 1) await page.keyboard.press('j');
    await untilTrue(page, 'document.activeElement?.getAttribute("aria-posinset") === "21"');
    await settled(page);
    await page.keyboard.press('a');
    await waits(MANY - 1);
    // Holding a key down decides once.
    await page.keyboard.down('a');
    for (let repeat = 0; repeat < 5; repeat += 1) await page.keyboard.down('a');
    await page.keyboard.up('a');
    await waits(MANY - 2);
  });
});
