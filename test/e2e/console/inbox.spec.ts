import type { Page } from 'playwright-core';
import { MAIL, newRun, toolCall, waiting, type RunIds } from '../../factories/waiting.js';
import { decided } from '../../support/approvals.js';
import { axeViolations } from '../../support/console/axe.js';
import { untilTrue } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { claim, claimed, effectOf, settled } from '../../support/effects.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();

describeInBrowser('The inbox of the console', () => {
  const open = useConsole(server);

  /** Shows only this agent's approvals, so tests do not see each other's. */
  async function openOf(agent: string): Promise<Page> {
    const page = await open({ path: `/approvals?agent=${agent}` });
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  }

  /** Decisions are not accepted just after a change. */
  const steady = (page: Page) => page.locator('.inbox[aria-busy="false"]').waitFor();

  /** Like a person who returns to the tab: the inbox is loaded now instead of after 10 s. */
  const look = (page: Page) => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);

  async function asked(agent: string, fields: Record<string, unknown> = {}): Promise<RunIds> {
    const run = newRun();
    await record(server.api, waiting(run, 1, { agent_id: agent, ...fields }));
    return run;
  }

  it('holds the effects in doubt, which a person settles', async () => {
    for (const key of ['charge:1', 'charge:2']) {
      await claimed(server.api, 'billing', { agent_id: 'billing', key, claim_id: key });
      await settled(server.api, 'billing', { outcome: 'unknown', claim_id: key }, key);
    }
    const page = await openOf('billing');
    await page.locator('.ask').nth(1).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await steady(page);
    await page.keyboard.press('m');
    await page.keyboard.type('the bank shows it');
    await page.keyboard.press('Escape');
    await page.keyboard.press('y');
    await page.locator('article[aria-current="true"][aria-posinset="2"]').waitFor();
    await waitFor(
      'the first',
      async () => (await effectOf(server.api, 'billing', 'charge:1')).state === 'completed' || undefined,
    );
    await page.keyboard.press('n');
    await waitFor(
      'the second',
      async () => (await effectOf(server.api, 'billing', 'charge:2')).state === 'not_done' || undefined,
    );
    expect(await effectOf(server.api, 'billing', 'charge:1')).toMatchObject({ reason: 'the bank shows it' });
    await page.getByRole('link', { name: 'Decided' }).click();
    const rows = page.getByRole('list', { name: 'Earlier decisions' }).getByRole('listitem');
    await rows.nth(1).waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^It did not happen, says .*[^]*charge:2/),
      expect.stringMatching(/^It happened, says .*[^]*charge:1[^]*the bank shows it/),
    ]);
  });

  it('takes what a call in doubt returned, which the agent gets', async () => {
    await claimed(server.api, 'ledger', { agent_id: 'ledger', key: 'book:1', claim_id: 'book:1' });
    await settled(server.api, 'ledger', { outcome: 'unknown', claim_id: 'book:1' }, 'book:1');
    const page = await openOf('ledger');
    await page.locator('.ask').waitFor();
    await steady(page);
    await page.keyboard.press('e');
    const area = page.getByLabel('The result of the call, as JSON');
    await area.fill('{"entry": 9007199254740993,}');
    await page.getByText('Line 1, column 27: nothing follows this comma.').waitFor();
    await page.getByRole('button', { name: 'It happened' }).click();
    await page.getByText('The result is not JSON').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await area.fill('{"entry": 9007199254740993}');
    await page.keyboard.press('Escape');
    await page.keyboard.press('y');
    await page.locator('.ask.closed').getByText('It happened, says').waitFor();
    const again = await claim(server.api, 'ledger', { agent_id: 'ledger', key: 'book:1', claim_id: 'other' });
    expect(again.text).toContain('"result":{"entry":9007199254740993}');
  });

  it('lists what was decided earlier, and leads to its steps', async () => {
    const first = await asked('archivist', { pending_tool_calls: [MAIL] });
    const second = await asked('archivist');
    await decided(server.api, 'approve', first, 1, { decided_by: 'kim', reason: 'known customer' });
    await decided(server.api, 'reject', second, 1, { decided_by: 'ada' });
    const page = await openOf('archivist');
    await page.getByRole('link', { name: 'Decided' }).click();
    const rows = page.getByRole('list', { name: 'Earlier decisions' }).getByRole('listitem');
    await rows.nth(1).waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^Rejected by ada[^]*issue_refund/),
      expect.stringMatching(/^Approved by kim[^]*send_mail[^]*known customer/),
    ]);
    expect(await axeViolations(page)).toEqual([]);
    // One that is decided meanwhile appears by itself.
    const third = await asked('archivist');
    await decided(server.api, 'approve', third, 1, { decided_by: 'sam' });
    await rows.filter({ hasText: 'Approved by sam' }).waitFor();
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(`**/threads/${encodeURIComponent(second.threadId)}?**tab=approval**`);
    await page.getByRole('article', { name: 'Approval, rejected' }).getByText('ada').waitFor();
  });

  it('comes by itself once the server answers, without a reload', async () => {
    await asked('away');
    const page = await open({ path: '/' });
    await page.getByText('live', { exact: true }).waitFor();
    let isAway = true;
    await page.route(/\/approvals(\?|\/stream)/, (route) => (isAway ? route.abort() : route.continue()));
    await page.getByRole('link', { name: /^Approvals/ }).click();
    await page.getByText('No answer').waitFor();
    isAway = false;
    await page.locator('.ask').first().waitFor();
    await page.getByText('No answer').waitFor({ state: 'detached' });
  });

  it('shows what a link names, also where the page is open already', async () => {
    const runs: RunIds[] = [];
    for (let count = 0; count < 6; count += 1) runs.push(await asked('linked'));
    const place = (run: RunIds) =>
      encodeURIComponent(['calls', run.threadId, run.traceId, '1'].map(encodeURIComponent).join('/'));
    const page = await open({ path: `/approvals?agent=linked&at=${place(runs[5]!)}` });
    const current = (position: number) => page.locator(`article[aria-current="true"][aria-posinset="${position}"]`);
    await current(6).waitFor();
    await untilTrue(page, 'document.activeElement?.getAttribute("aria-posinset") === "6"');
    // The same page under another address.
    await page.evaluate(`history.pushState(history.state, '', '?agent=linked&at=${place(runs[3]!)}')`);
    await current(4).waitFor();
    await untilTrue(page, 'document.activeElement?.getAttribute("aria-posinset") === "4"');
  });

  /** Here the page is never in the background, nobody can see the desktop, and a headless browser allows no notifications. */
  const watched = (permission: 'default' | 'granted') =>
    `window.told = []; document.hasFocus = () => false;
      window.Notification = class {
        static permission = '${permission}';
        static requestPermission() { return Promise.resolve((this.permission = 'granted')); }
        constructor(...said) { told.push(said); }
      };`;

  it('tells of new calls on the desktop where the person wants that, and nowhere else', async () => {
    const page = await openOf('notified');
    await page.evaluate(watched('default'));
    const first = await asked('notified');
    await page.locator('.ask').waitFor();
    expect(await page.evaluate('told')).toEqual([]);
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByRole('button', { name: 'Notifications on' }).waitFor();
    await asked('notified', { pending_tool_calls: [toolCall('secret_tool', {})] });
    await look(page);
    await untilTrue(page, 'told.length === 1');
    expect(await page.evaluate('told')).toEqual([
      ['Waystation', expect.objectContaining({ body: expect.stringMatching(/^\d+ calls wait for you\.$/) as string })],
    ]);
    // One is decided and another opened between two loads, so the count stays the same.
    let letLook!: () => void;
    const mayLook = new Promise<void>((resolve) => (letLook = resolve));
    await page.route(/\/approvals\?.*count=true/, async (route) => {
      await mayLook;
      await route.continue();
    });
    await decided(server.api, 'approve', first, 1);
    await asked('notified');
    letLook();
    await look(page);
    await untilTrue(page, 'told.length === 2');
    await page.getByRole('button', { name: 'Notifications on' }).click();
    await asked('notified');
    await page.locator('.ask').nth(3).waitFor();
    await untilTrue(page, 'document.title.startsWith("(")');
    expect(await page.evaluate('told.length')).toBe(2);
  });

  it('tells of reminders on each page', async () => {
    await asked('reminded');
    const page = await open({ path: '/agents' });
    let isReminded = false;
    await page.route(/\/approvals\?.*count=true/, async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { items: { agent_id: string; reminded: number }[] };
      for (const item of json.items) item.reminded += isReminded && item.agent_id === 'reminded' ? 1 : 0;
      await route.fulfill({ response, json });
    });
    await page.addInitScript({ content: watched('granted') });
    await page.evaluate(`localStorage.setItem('waystation-notifications', 'on')`);
    await page.reload();
    await untilTrue(page, 'document.title.startsWith("(")');
    isReminded = true;
    await untilTrue(page, 'told.length === 1');
    expect(await page.evaluate('told.map(([, { body }]) => body)')).toEqual(['An agent still waits for you.']);
  });
});
