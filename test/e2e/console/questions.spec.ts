import type { Page } from 'playwright-core';
import { asking, COLOUR, questionCall } from '../../factories/asking.js';
import { MAIL, newRun, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf } from '../../support/approvals.js';
import { axeViolations } from '../../support/console/axe.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait.js';

const server = useSharedServer();

describeInBrowser('Questions in the console', () => {
  const openPage = useConsole(server);

  async function asked(calls: object[], fields: Record<string, unknown> = {}): Promise<RunIds> {
    const run = newRun('asks');
    await record(server.api, asking(run, 1, calls as Record<string, unknown>[], { agent_id: run.threadId, ...fields }));
    return run;
  }

  /** Decisions are not accepted just after a change. */
  const steady = (page: Page) => page.locator('[role=feed][aria-busy="false"]').waitFor();
  const becomes = (run: RunIds, status: string) =>
    waitFor(status, async () => {
      const approval = await approvalOf(server.api, run, 1);
      return approval.status === status ? approval : undefined;
    });

  it('are answered as a form by keyboard alone, with the defaults that nobody changed', async () => {
    const run = await asked([
      questionCall([
        { ...COLOUR, id: 'colour', default: 'Red' },
        {
          id: 'sizes',
          text: 'Which sizes?',
          multiple: true,
          options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }],
        },
        { id: 'name', header: 'Label', text: 'What shall it say?' },
        { id: 'more', text: 'Anything else?', required: false },
      ]),
    ]);
    const page = await openPage({ path: `/approvals?agent=${run.threadId}` });
    const card = page.getByRole('article', { name: `${run.threadId}: ask` });
    await card.getByText('asks 4 questions').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await steady(page);
    // A bare approval is not an answer: the key leads to the form, which is not sent before it is complete.
    await page.keyboard.press('a');
    expect(await card.getByRole('radio', { name: /^Red/ }).isChecked()).toBe(true);
    await page.keyboard.press('Control+Enter');
    await card.getByText('“Which sizes?” needs an answer.').waitFor();
    for (const key of ['ArrowDown', 'Tab', 'Space', 'Tab', 'Tab', 'Space', 'Tab']) await page.keyboard.press(key);
    await page.keyboard.type('Hello');
    await page.keyboard.press('Control+Enter');
    const { tool_calls: calls } = await becomes(run, 'approved');
    expect(calls[0]).toMatchObject({
      decision: 'answer',
      answers: { colour: 'b', sizes: ['S', 'L'], name: 'Hello' },
    });
    await card.getByText(/^Answered/).waitFor();
  });

  it('are answered with a digit, or declined with a reason, in the thread, too', async () => {
    const one = await asked([questionCall()]);
    const page = await openPage({ path: `/threads/${one.threadId}` });
    const card = page.getByRole('article', { name: `${one.threadId}: ask` });
    await card.getByText('asks a question').waitFor();
    await steady(page);
    await page.keyboard.press('2');
    expect(await card.getByRole('radio', { name: 'Blue' }).isChecked()).toBe(true);
    await card.getByRole('button', { name: 'Answer' }).click();
    expect((await becomes(one, 'approved')).tool_calls[0]).toMatchObject({ answers: { q0: 'b' } });
    const other = await asked([questionCall()]);
    await page.goto(`${server.api.baseUrl}/console/threads/${other.threadId}?tab=approval`);
    await page.getByText('asks a question').waitFor();
    await steady(page);
    await page.keyboard.press('m');
    await page.keyboard.type('ask somebody else');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    expect((await becomes(other, 'rejected')).reason).toBe('ask somebody else');
    await page
      .getByRole('article')
      .getByText(/^Declined/)
      .waitFor();
  });

  it('stand beside calls, which are decided with them', async () => {
    const run = await asked([questionCall(), MAIL], { approval_features: ['answer', 'per_call'] });
    const page = await openPage({ path: `/approvals?kind=question&agent=${run.threadId}` });
    const card = page.getByRole('article', { name: `${run.threadId}: ask, send_mail` });
    await card.getByRole('button', { name: 'Answer and approve the call' }).waitFor();
    await card.getByRole('radio', { name: 'Red' }).check();
    await card.getByRole('checkbox', { name: 'send_mail' }).uncheck();
    await steady(page);
    await card.getByRole('button', { name: 'Answer', exact: false }).click();
    const { tool_calls: calls } = await becomes(run, 'approved');
    expect(calls.map(({ decision }) => decision)).toEqual(['answer', 'reject']);
    await page.getByRole('link', { name: /^Decided/ }).click();
    await page.getByText(/Which colour\?/).waitFor();
  });

  it('and calls have only the buttons that the agent allows', async () => {
    const run = newRun('limits');
    const fields = { agent_id: run.threadId, approval_features: ['per_call', 'edit_args'] };
    const mail = { ...MAIL, allowed_decisions: ['approve'] };
    await record(server.api, waiting(run, 1, { ...fields, pending_tool_calls: [mail] }));
    const page = await openPage({ path: `/approvals?agent=${run.threadId}` });
    const card = page.getByRole('article', { name: `${run.threadId}: send_mail` });
    await card.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await card.getByRole('button', { name: /Reject|Edit/ }).count()).toBe(0);
    await steady(page);
    await page.keyboard.press('r');
    await page.keyboard.press('a');
    await becomes(run, 'approved');
  });
});
