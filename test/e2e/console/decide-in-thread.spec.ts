import type { Page } from 'playwright-core';
import { checkpoint, conversation, metaOf } from '../../factories/events.js';
import { MAIL, newRun, REFUND, toolCall, waiting, type RunIds } from '../../factories/waiting.js';
import { approvalOf, decided } from '../../support/approvals.js';
import { cancel } from '../../support/cancel.js';
import { axeViolations } from '../../support/console/axe.js';
import { untilTrue } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { claimed, effectOf, settled } from '../../support/effects.js';
import { ok, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait.js';

const server = useSharedServer();
const OTHERS = 40;
const WINDOWS = [
  { width: 1024, height: 768 },
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

describeInBrowser('What waits in a thread', () => {
  const openPage = useConsole(server);

  async function asked(fields: Record<string, unknown> = {}, run = newRun('decide')): Promise<RunIds> {
    await record(server.api, waiting(run, 1, fields));
    return run;
  }

  const pathOf = ({ threadId }: RunIds, query = '') => `/threads/${encodeURIComponent(threadId)}${query}`;
  const open = (run: RunIds, query = '') => openPage({ path: pathOf(run, query) });
  const placeOf = ({ threadId, traceId }: RunIds) =>
    ['calls', threadId, traceId, '1'].map(encodeURIComponent).join('/');
  /** Decisions are not accepted just after a change. */
  const steady = (page: Page) => page.locator('[role=feed][aria-busy="false"]').waitFor();
  const becomes = (run: RunIds, status: string) =>
    waitFor(status, async () => (await approvalOf(server.api, run, 1)).status === status || undefined);

  it('is decided there, with other arguments and a reason, by keyboard or press', async () => {
    const run = await asked({ approval_features: ['edit_args'] });
    const page = await open(run);
    const card = page.getByRole('article', { name: 'support: issue_refund' });
    await card.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.getByRole('link', { name: /Approve or reject/ }).count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await steady(page);
    await page.keyboard.press('m');
    await page.keyboard.type('a regular customer');
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await card.getByLabel('The arguments to use instead').fill('{"order": 4711, "cents": 5}');
    await card.getByRole('button', { name: 'Approve with the edit' }).click();
    await becomes(run, 'approved');
    const { reason, tool_calls: calls } = await approvalOf(server.api, run, 1);
    expect([reason, calls[0]!.edited_args]).toEqual(['a regular customer', { order: 4711, cents: 5 }]);
    await card.getByText(/^Approved/).waitFor();
    expect(page.url()).toContain('/console/threads/');
    // The agent's next question appears in the same place.
    await record(server.api, waiting(run, 2, { pending_tool_calls: [MAIL] }));
    await page.getByRole('article', { name: 'support: send_mail' }).getByRole('button', { name: 'Reject' }).waitFor();
    await steady(page);
    await page.keyboard.press('r');
    await waitFor('rejected', async () => (await approvalOf(server.api, run, 2)).status === 'rejected' || undefined);
  });

  it('holds its calls in doubt, which a person settles with what they returned', async () => {
    const { threadId } = newRun('doubt');
    await record(server.api, checkpoint(threadId, 0, { agent_id: 'billing' }));
    await claimed(server.api, threadId, { agent_id: 'billing', key: 'charge:1', claim_id: 'a' });
    await settled(server.api, threadId, { outcome: 'unknown', claim_id: 'a' }, 'charge:1');
    const page = await openPage({ path: `/threads/${threadId}?tab=effects` });
    const card = page.getByRole('article', { name: 'billing: charge:1', exact: true });
    await card.waitFor();
    await page.getByRole('link', { name: 'Settle' }).click();
    await untilTrue(page, 'document.activeElement?.matches("article[aria-current=true]")');
    await steady(page);
    await page.keyboard.press('e');
    await card.getByLabel('The result of the call').fill('{"charged": 5}');
    await card.getByRole('button', { name: 'It happened' }).click();
    await waitFor('settled', async () => {
      const { state, result } = await effectOf(server.api, threadId, 'charge:1');
      return (state === 'completed' && JSON.stringify(result) === '{"charged":5}') || undefined;
    });
    await card.getByText(/^It happened/).waitFor();
  });

  it('is decided once: who comes second sees who decided, and sends nothing', async () => {
    const run = await asked();
    const page = await open(run);
    const card = page.getByRole('article', { name: 'support: issue_refund' });
    await steady(page);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    await decided(server.api, 'reject', run, 1, { decided_by: 'kim', reason: 'not ours' });
    await card.getByText('Rejected by kim').waitFor();
    await card.getByText('not ours').waitFor();
    for (const key of ['a', 'r', 'Control+Enter']) await page.keyboard.press(key);
    expect([await card.getByRole('button').count(), sent]).toEqual([0, []]);

    // Both press at the same moment: the page does not learn of the first decision before it sends its own.
    const other = await asked();
    await page.route('**/threads/*/stream**', (route) => route.abort());
    await page.goto(`${server.api.baseUrl}/console${pathOf(other)}`);
    await steady(page);
    await page.route('**/approve?**', async (route) => {
      await decided(server.api, 'reject', other, 1, { decided_by: 'ada' });
      await route.continue();
    });
    sent.splice(0);
    await card.getByRole('button', { name: 'Approve' }).dblclick();
    await card.getByText('Rejected by ada').waitFor();
    expect(sent.filter((path) => path.endsWith('/approve'))).toHaveLength(1);
  });

  it('no longer waits once its run is cancelled', async () => {
    const run = await asked();
    const page = await open(run);
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    ok(await cancel(server.api, run.threadId, run.traceId));
    await page
      .getByRole('article')
      .getByText(/^Withdrawn/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
  });

  it(`stands at the top with its own buttons in view where a link leads to it, while ${OTHERS} others wait`, async () => {
    const agent_id = newRun('links').threadId;
    const long = { agent_id, pending_tool_calls: [toolCall('send', { text: 'x '.repeat(2_000) }), REFUND] };
    const runs = Array.from({ length: OTHERS + 1 }, () => newRun('links'));
    await record(server.api, ...runs.map((run, index) => waiting(run, 1, index % 3 === 0 ? long : { agent_id })));
    // One long card, one short one, and the last.
    const linked = [runs[24]!, runs[13]!, runs[OTHERS]!];
    const page = await openPage({ path: `/approvals?agent=${agent_id}` });
    for (const [index, size] of WINDOWS.entries()) {
      await page.setViewportSize(size);
      const run = linked[index]!;
      const place = encodeURIComponent(placeOf(run));
      for (const path of [`/approvals?agent=${agent_id}&at=${place}`, pathOf(run, `?at=${place}`)]) {
        await page.goto(`${server.api.baseUrl}/console${path}`);
        await untilTrue(page, OWN_BUTTONS_IN_VIEW(placeOf(run)));
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
      }
    }
    // Nor does a key decide something out of view.
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await steady(page);
    await page.keyboard.press('a');
    await untilTrue(page, OWN_BUTTONS_IN_VIEW(placeOf(linked[2]!)));
    expect((await approvalOf(server.api, linked[2]!, 1)).status).toBe('pending');
  });

  it('stays at the top, however late what stands above it is loaded', async () => {
    const agent_id = newRun('late').threadId;
    const history = conversation(4).map((message) => ({ ...message, content: 'a line\n\n'.repeat(12) }));
    const runs = Array.from({ length: 8 }, () => newRun('late'));
    // A suggested rule will appear above the list too.
    for (let count = 0; count < 5; count += 1) {
      const run = newRun('late');
      await record(server.api, waiting(run, 1, { agent_id }));
      await decided(server.api, 'approve', run, 1);
    }
    await record(
      server.api,
      ...runs.map((run) => waiting(run, 1, { agent_id, history, history_meta: metaOf(history) })),
    );
    const place = placeOf(runs[5]!);
    const page = await openPage({ path: `/approvals?agent=${agent_id}` });
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/threads\/[^/]+\/steps|\/rules\/suggestions/, (route) => answered.then(() => route.continue()));
    await page.goto(`${server.api.baseUrl}/console/approvals?agent=${agent_id}&at=${encodeURIComponent(place)}`);
    await untilTrue(page, OWN_BUTTONS_IN_VIEW(place));
    await page.evaluate(FRAMES);
    answer();
    await untilTrue(
      page,
      `document.querySelectorAll('.last-messages').length >= 3 && !document.querySelector('.inbox .skeleton')`,
    );
    await page.evaluate(FRAMES);
    expect(await page.evaluate(OWN_BUTTONS_IN_VIEW(place))).toBe(true);
    // But it does not hold a person who reads something else.
    await page.mouse.wheel(0, -300);
    await untilTrue(page, `!(${OWN_BUTTONS_IN_VIEW(place)})`);
    await page.evaluate(FRAMES);
    expect(await page.evaluate(OWN_BUTTONS_IN_VIEW(place))).toBe(false);
  });
});

/** Far more frames than a page takes to draw. */
const FRAMES = `new Promise((resolve) => {
  let left = 120;
  requestAnimationFrame(function next() {
    if (left-- === 0) resolve();
    else requestAnimationFrame(next);
  });
})`;

/** Whether the card is at the top of the window, and a pointer at its buttons hits them. */
function OWN_BUTTONS_IN_VIEW(place: string): string {
  return `(() => {
    const card = document.querySelector('[data-place="${place}"]');
    if (!card || document.activeElement !== card) return false;
    const { top } = card.getBoundingClientRect();
    const buttons = [...card.querySelectorAll('.actions .button')];
    return top >= 0 && top <= 40 && buttons.length === 2 && buttons.every((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });
  })()`;
}
