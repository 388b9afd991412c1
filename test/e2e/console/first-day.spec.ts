import type { Locator, Page } from 'playwright-core';
import { checkpoint, completed } from '../../factories/events.js';
import { axeViolations } from '../../support/console/axe.js';
import { untilTrue, type ConsoleOptions } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { claimed, settled } from '../../support/effects.js';
import { detailOf, ok, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer({ env: { WAYSTATION_SILENT_AFTER_SECONDS: '1' } });

const LONG_ID = `telegram-${'9'.repeat(60)}-7a21`;
const TRACEBACK =
  'Traceback (most recent call last):\n  File "pay.py", line 7, in __main__\n    a * b * c\nValueError: _no_ key';

describeInBrowser('What a person meets on the first day', () => {
  const open = useConsole(server);
  const openThread = (threadId: string, options: ConsoleOptions = {}) =>
    open({ ...options, path: `/threads/${threadId}` });

  it('are runs of which nothing is heard, with a badge, a filter, and a link that cancels', async () => {
    await record(server.api, checkpoint('unheard', 0));
    await record(server.api, checkpoint('ended', 0), completed('ended'));
    await silenceOf('unheard');
    const page = await open();
    await rowOf(page, 'ended').waitFor();
    await rowOf(page, 'unheard').getByText('silent', { exact: true }).waitFor();
    expect(await rowOf(page, 'ended').getByText('silent', { exact: true }).count()).toBe(0);
    expect(await rowOf(page, 'ended').getByRole('link').count()).toBe(1);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('stop unheard');
    await page.getByRole('menuitem', { name: /^Cancel the run of unheard/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Silent' }).click();
    await page.waitForURL(/silent=true/);
    await rowOf(page, 'ended').waitFor({ state: 'detached' });
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Cancel the run of unheard' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' });
    await dialog.getByLabel('Reason').fill('its program died');
    await dialog.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('its program died').first().waitFor();
    // After a reload, nobody is asked again.
    await page.waitForURL((url) => !url.search.includes('act='));
    expect((await detailOf(server.api, 'unheard')).status).toBe('cancelled');
  });

  it('have room for all badges in their row, also with calls in doubt', async () => {
    await record(server.api, checkpoint('both', 0));
    await claimed(server.api, 'both', { agent_id: 'support', key: 'pay:2', claim_id: 'x' });
    await settled(server.api, 'both', { outcome: 'unknown', claim_id: 'x' }, 'pay:2');
    await silenceOf('both');
    for (const width of [1440, 1024, 390]) {
      const page = await open({ width, path: '/?doubt=true' });
      const row = rowOf(page, 'both');
      const badges = ['running', 'silent', 'in doubt'].map((name) => row.getByText(name, { exact: true }));
      for (const badge of badges) await badge.waitFor();
      const { y: top, height } = (await row.boundingBox())!;
      for (const badge of badges) {
        const box = (await badge.boundingBox())!;
        expect([width, box.y > top - 2, box.y + box.height < top + height + 2]).toEqual([width, true, true]);
      }
    }
    await settled(server.api, 'both', { outcome: 'completed' }, 'pay:2');
  });

  it('are calls in doubt, with a badge, a filter, and links that settle and retry', async () => {
    await record(server.api, checkpoint('doubtful', 0));
    await claimed(server.api, 'doubtful', { agent_id: 'support', key: 'pay:1', claim_id: 'x' });
    await settled(server.api, 'doubtful', { outcome: 'unknown', claim_id: 'x' }, 'pay:1');
    await record(server.api, completed('doubtful'));
    const page = await open({ path: '/?doubt=true' });
    const row = rowOf(page, 'doubtful');
    await row.getByText('in doubt', { exact: true }).waitFor();
    await row.getByRole('link', { name: 'Retry the run of doubtful' }).click();
    // No agent is online that could continue it.
    await page.getByText('has never been online here').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goBack();
    await row.getByRole('link', { name: 'Settle the calls of doubtful' }).click();
    await page.getByRole('button', { name: 'It happened' }).click();
    await waitFor('it to be settled', async () => (await doubtsLeft()) === 0);
  });

  it('are no links that act for those who only read', async () => {
    await record(server.api, checkpoint('unread', 0));
    await silenceOf('unread');
    const { token } = (await server.api.post('/v1/tokens', { scope: 'reader' })).json<{ token: string }>();
    const page = await open({ path: '/?q=unread' }, token);
    await rowOf(page, 'unread').getByText('silent', { exact: true }).waitFor();
    expect(await rowOf(page, 'unread').getByRole('link').count()).toBe(1);
  });

  it('are long ids with their beginning and end, whole for who stands on them', async () => {
    await record(server.api, checkpoint(LONG_ID, 0));
    const page = await open({ path: '/?q=telegram', width: 1024, height: 768 });
    const link = page.getByRole('link', { name: LONG_ID });
    const id = link.locator('.short-id');
    await id.waitFor();
    expect(await id.locator('.tail').textContent()).toBe('7a21');
    const isWhole = `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.line .head'))`;
    expect(await page.evaluate<boolean>(isWhole)).toBe(false);
    const tail = (await id.locator('.tail').boundingBox())!;
    const cell = (await page.locator('.line .id').first().boundingBox())!;
    expect(tail.x + tail.width).toBeLessThanOrEqual(cell.x + cell.width + 1);
    await page.getByRole('searchbox', { name: /^Search by thread/ }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('j');
    await untilTrue(page, isWhole);
  });

  it('are results that are logs, as text and not as Markdown, and raw on request', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'pay', arguments: '{}' } };
    const history = [
      { role: 'user', content: 'Pay.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: JSON.stringify({ code: 1, output: TRACEBACK }) },
      { role: 'assistant', content: TRACEBACK },
    ];
    await record(server.api, checkpoint('traced', 0, { history }), completed('traced'));
    const page = await openThread('traced');
    const log = page.getByRole('region', { name: 'Messages' }).getByRole('group', { name: 'Log' });
    expect(await log.innerText()).toContain('ValueError: _no_ key');
    expect(await log.innerText()).toContain('a * b * c');
    await page.getByRole('button', { name: 'Show as Markdown' }).first().click();
    await page.getByRole('button', { name: 'Show as text' }).waitFor();
    await page.locator('.tool-call .fold-head').first().click();
    const result = page.getByRole('group', { name: 'Result' });
    expect(await result.innerText()).toContain('File "pay.py", line 7, in __main__\n');
    await result.getByRole('button', { name: 'Raw' }).click();
    expect(await result.innerText()).toContain('"output": "Traceback (most recent call last):↵');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('is Telegram that asks for messages by itself on the own machine', async () => {
    const page = await open({ path: '/channels?create=telegram' });
    const transport = page.getByLabel('Transport');
    await transport.waitFor();
    expect(await transport.inputValue()).toBe('polling');
  });

  it('are the guides, in the sidebar, in the search, and at a glance', async () => {
    const page = await open();
    const docs = page.getByRole('link', { name: 'Docs', exact: true });
    expect(await docs.getAttribute('href')).toBe('/docs/guides/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('docs');
    await page.getByRole('menuitem', { name: 'Docs', exact: true }).click();
    await page.waitForURL('**/docs/guides/');
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  const rowOf = (page: Page, id: string): Locator => page.locator('.line', { hasText: id });

  async function silenceOf(threadId: string): Promise<void> {
    await waitFor('it to be silent', async () => (await detailOf(server.api, threadId)).silent === true);
  }

  async function doubtsLeft(): Promise<number> {
    return ok(await server.api.get('/v1/effects')).json<{ items: object[] }>().items.length;
  }
});
