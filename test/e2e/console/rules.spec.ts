import type { Page } from 'playwright-core';
import { newThreadId } from '../../factories/events.js';
import { newRun, toolCall, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf, decided } from '../../support/approvals.js';
import { axeViolations } from '../../support/console/axe.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { ok, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
/** Approvals before a rule is suggested. */
const APPROVED = 5;

describeInBrowser('Rules in the console', () => {
  const openPage = useConsole(server);
  const made: string[] = [];

  // Other files share the server: these rules must not decide their calls.
  afterEach(async () => {
    for (const id of made.splice(0)) await server.api.delete(`/v1/rules/${id}`);
  });

  async function asked(agent: string, cents: number): Promise<RunIds> {
    const run = newRun('ruled');
    const calls = [toolCall('refund', { cents, currency: 'EUR' })];
    await record(server.api, waiting(run, 1, { agent_id: agent, pending_tool_calls: calls }));
    return run;
  }

  async function approvedOften(agent: string): Promise<void> {
    for (let count = 1; count <= APPROVED; count += 1)
      await decided(server.api, 'approve', await asked(agent, count * 100), 1);
  }

  const sentence = (page: Page) => page.locator('.rule-sentence');
  const noteId = (page: Page) => made.push(page.url().split('/').at(-1)!);

  it('are made by keyboard alone, from a suggestion above the inbox, beside their rehearsal', async () => {
    const agent = newThreadId('keeps');
    await approvedOften(agent);
    await asked(agent, 700);
    const page = await openPage({ path: `/approvals?agent=${agent}` });
    const suggestion = page.getByRole('region', { name: /^People approve these again/ });
    await suggestion.getByText(`Allow refund by agent ${agent} when cents is between 100 and 500`).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await suggestion.getByRole('link', { name: 'Make it a rule' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`It allows 5 of 5 approved calls.`).waitFor();
    expect(await sentence(page).innerText()).toMatch(
      /cents is between 100 and 500, and currency is "EUR", at most 5 times in/,
    );
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('Highest').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('300');
    await page.getByText(`It allows 3 of 5 approved calls.`).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'What it decided' }).waitFor();
    noteId(page);
    expect(await axeViolations(page)).toEqual([]);
    // From now on nobody is asked about such calls, and the record names the rule.
    const run = await asked(agent, 200);
    const { status, rule_id } = await approvalOf(server.api, run, 1);
    expect([status, rule_id]).toEqual(['approved', made[0]]);
    await page.goto(`${server.api.baseUrl}/console/approvals?kind=decided&agent=${agent}`);
    await page.getByText('Approved by a rule').waitFor();
    await page.getByRole('link', { name: 'See the rule' }).click();
    await page.getByText('1 call', { exact: true }).waitFor();
  });

  it('go against people only after somebody has confirmed the number', async () => {
    const agent = newThreadId('against');
    const run = await asked(agent, 100);
    await decided(server.api, 'approve', run, 1);
    for (const cents of [200, 300]) await decided(server.api, 'reject', await asked(agent, cents), 1);
    // A decided card links to the draft.
    const page = await openPage({ path: `/threads/${run.threadId}?tab=approval` });
    await page.getByRole('link', { name: 'Make it a rule' }).click();
    await page.getByLabel('Test').first().selectOption('range');
    await page.getByLabel('Highest').fill('250');
    await page.getByText('It allows 1 of 1 approved call, and 1 of 2 rejected.').waitFor();
    expect(await page.locator('.rehearsal li').first().innerText()).toMatch(/rejected[^]*allows[^]*200/);
    await page.getByRole('button', { name: 'Make the rule' }).click();
    await page.getByText('This rule allows 1 call that people rejected or edited.').waitFor();
    expect(ok(await server.api.get('/v1/rules')).text).not.toContain(agent);
    await page.getByRole('button', { name: 'Allow it all the same' }).click();
    await page.getByRole('heading', { name: 'What it decided' }).waitFor();
    noteId(page);
  });

  it('are listed in sentences, and revoked at once', async () => {
    const agent = newThreadId('wall');
    const rule = { effect: 'deny', agents: [agent], tools: ['delete_*'], where: [], note: 'Nobody deletes.' };
    const { id } = (await server.api.post('/v1/rules', rule)).json<{ id: string }>();
    made.push(id);
    const page = await openPage();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Rules' }).click();
    const line = page.getByRole('listitem').filter({ hasText: agent });
    await line.getByText(/^Reject any tool that begins with delete_ by agent/).waitFor();
    await line.getByText('never used').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await line.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await line.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Show ended rules' }).click();
    await line.getByText(/^revoked by/).waitFor();
  });
});
