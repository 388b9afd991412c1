import type { Locator, Page } from 'playwright-core';
import { checkpoint, completed, failed, started } from '../../factories/events.js';
import { axeViolations } from '../../support/console/axe.js';
import { untilTrue, type ConsoleOptions } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { freePort } from '../../support/free-port.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

// The server restarts at the same address.
const server = useServer({ env: { WAYSTATION_PORT: String(await freePort()) } });

const LONG_ID = `telegram:${'very-long-'.repeat(50)}`;
const HOSTILE = 'inv\u202eoice<img src=x onerror=alert(1)>';
const MANY = 140;
const NARROW = { width: 390, height: 844 };

describeInBrowser('The runs in the console', () => {
  const open = useConsole(server);

  async function openLive(options: ConsoleOptions = {}): Promise<Page> {
    const page = await open(options);
    await page.getByText('live', { exact: true }).waitFor();
    return page;
  }

  it('show a command with a working token where nothing is recorded, and light up with the first step', async () => {
    const page = await openLive();
    await page.getByText('No threads yet').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // Or with example data, which disappears again without a trace.
    await page.getByRole('button', { name: 'Load example data' }).click();
    await page.getByRole('link', { name: 'refund-9920', exact: true }).waitFor();
    await page.getByText(/^\d+ of these threads are example data\.$/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('No threads yet').waitFor();
    await page.getByRole('button', { name: 'Create a token and show the command' }).click();
    const command = await page.locator('.command pre').innerText();
    const [, token, body] = /Bearer (wst_[\w-]+)'[^]*-d '([^]*)'$/.exec(command)!;
    expect(command).toContain(`curl ${server.api.baseUrl}/v1/runners/events `);
    expect((await server.api.as(token!).post('/v1/runners/events', body)).json()).toEqual({ saved: 1, rejected: [] });
    await page.getByText('The first step has arrived').waitFor();
    expect(await ids(page)).toEqual(['hello']);
    await page.getByRole('link', { name: 'Open hello' }).click();
    await page.waitForURL('**/console/threads/hello');
  });

  it('tell who may create no token which command makes one', async () => {
    await server.api.delete('/threads/hello');
    const token = (await server.api.post('/v1/tokens', { scope: 'reader' })).json<{ token: string }>().token;
    const page = await open({}, token);
    await page.getByText("This session can't create tokens").waitFor();
    expect(await page.locator('.command pre').first().innerText()).toContain('waystation token create --scope runner');
  });

  it('list what is recorded, of any length and with any character', async () => {
    await seed();
    const page = await openLive();
    await page.getByText(`${MANY + 6} threads`).waitFor();
    const hostile = rowOf(page, 'onerror=alert');
    expect(await hostile.innerText()).toContain('U+202E');
    expect(await hostile.locator('img').count()).toBe(0);
    const long = rowOf(page, 'telegram:');
    expect(await long.getByRole('link').textContent()).toBe(LONG_ID);
    expect((await long.boundingBox())!.height).toBe(40);
    expect(await rowOf(page, 'failed-1').innerText()).toContain('no key for the model');
    expect(await rowOf(page, 'waiting-1').innerText()).toMatch(/waiting\b/);
    expect(await widthOf(page)).toBe(1440);
  });

  it('sum up now and today, where each figure leads to its threads', async () => {
    const page = await openLive();
    const now = page.getByRole('region', { name: 'Now' });
    await now.getByRole('link', { name: 'failed in the last hour' }).click();
    await page.waitForURL(/status=error.*span=1h/);
    await expectIds(page, ['failed-1']);
    const figures = await now.locator('.value').allInnerTexts();
    expect(figures).toEqual([String(MANY + 2), '1', '1', expect.stringMatching(/^\$/)]);
    // The sums include the run of the deleted thread.
    const runs = await now.getByRole('table').locator('td:nth-of-type(1)').allTextContents();
    expect([runs.length, runs.reduce((sum, text) => sum + Number(text), 0)]).toEqual([24, MANY + 7]);
    await page.goBack();
    await now.getByRole('group', { name: 'Threads by hour' }).getByRole('button').last().focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/since=.*until=/);
    await page.getByRole('button', { name: /^Changed: / }).waitFor();
  });

  it.each(['Etc/Unknown', 'Moon/Base'])('sum up by UTC where the browser is in the zone %s', async (zone) => {
    const page = await openLive();
    await page.addInitScript(`const { resolvedOptions } = Intl.DateTimeFormat.prototype;
      Intl.DateTimeFormat.prototype.resolvedOptions = function () {
        return { ...resolvedOptions.call(this), timeZone: '${zone}' };
      };`);
    const asked: (string | null)[] = [];
    page.on('response', (response) => {
      const url = new URL(response.url());
      if (url.pathname === '/v1/stats' && response.ok()) asked.push(url.searchParams.get('tz'));
    });
    await page.reload();
    const runs = page.getByRole('region', { name: 'Now' }).getByRole('table').locator('td:nth-of-type(1)');
    await waitFor('the sums', async () => (await runs.count()) === 24);
    expect((await runs.allTextContents()).reduce((sum, text) => sum + Number(text), 0)).toBe(MANY + 7);
    expect(asked).toContain(zone === 'Etc/Unknown' ? zone : null);
  });

  it('load further pages as the reader scrolls', async () => {
    const page = await openLive();
    await untilTrue(
      page,
      `(scrollTo(0, 1e6), [...document.querySelectorAll('.line a')].some((link) => link.textContent === 'many-0'))`,
    );
    expect(await page.locator('.line').count()).toBeLessThan(60);
  });

  it('keep filters and order in the address, where back undoes them', async () => {
    const page = await openLive();
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await page.waitForURL(/status=error/);
    await expectIds(page, ['failed-1']);
    await page.getByRole('button', { name: /^Agent/ }).click();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('menuitemradio', { name: 'biller' }).click();
    await page.waitForURL(/agent=biller/);
    await page.getByText('No thread matches these filters').waitFor();
    await page.goBack();
    await expectIds(page, ['failed-1']);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL(/console\/$/);
    await page.getByRole('searchbox', { name: /^Search by thread/ }).fill('waiting-');
    await page.waitForURL(/q=waiting-/);
    await expectIds(page, ['waiting-1']);
    const again = await openLive({ path: `/${new URL(page.url()).search}` });
    await expectIds(again, ['waiting-1']);
    await again.goto(again.url().replace(/console\/.*/, 'console/threads?status=failed'));
    await again.waitForURL(/console\/\?status=error$/);
    await expectIds(again, ['failed-1']);
    await page.goto(page.url().replace(/\?.*/, '?sort=total_cost_usd&status=completed'));
    await expectIds(page, ['costly', 'cheap']);
    await page.getByRole('button', { name: 'Cost of budget' }).click();
    await expectIds(page, ['cheap', 'costly']);
    expect(await page.locator('[aria-sort]').getAttribute('aria-sort')).toBe('ascending');
  });

  it('show changes at once, and move nothing under the pointer', async () => {
    const page = await openLive({ path: '/?q=many-12' });
    const row = rowOf(page, 'many-123');
    await row.hover();
    const before = await row.boundingBox();
    await record(server.api, checkpoint('many-123', 7));
    await record(server.api, started('many-12-new'));
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await row.getByText('7', { exact: true }).waitFor();
    expect(await row.boundingBox()).toEqual(before);
    await page.mouse.move(5, 5);
    await untilTrue(page, `document.querySelector('.line a').textContent === 'many-12-new'`);
  });

  it('keep the place of a thread that no longer matches while someone points at it', async () => {
    await record(server.api, started('leaving'));
    const page = await openLive({ path: '/?status=in_progress&q=leaving' });
    await rowOf(page, 'leaving').hover();
    await record(server.api, completed('leaving'));
    await page.getByText('no longer matches').waitFor();
    await page.mouse.move(5, 5);
    await page.getByText('No thread matches these filters').waitFor();
  });

  it('bring one who has scrolled to what is new by a press', async () => {
    const page = await openLive({ path: '/?q=many' });
    // Before there are rows, there is nothing to scroll.
    await page.locator('.line').first().waitFor();
    await page.mouse.wheel(0, 1_500);
    await untilTrue(page, 'scrollY > 1000');
    expect((await page.getByRole('columnheader', { name: 'Thread' }).boundingBox())!.y).toBeLessThan(20);
    await record(server.api, started('many-later'));
    await page.getByRole('button', { name: '1 new' }).click();
    await rowOf(page, 'many-later').getByRole('link').and(page.locator(':focus')).waitFor();
  });

  it('need no mouse, and are as they were for one who comes back', async () => {
    const page = await openLive();
    await page.keyboard.press('/');
    await page.keyboard.type('many-');
    await page.waitForURL(/q=many-/);
    await page.keyboard.press('Tab');
    for (let row = 0; row < 60; row += 1) await page.keyboard.press('j');
    await page.keyboard.press('k');
    const id = await page.locator(':focus').textContent();
    const top = await page.evaluate<number>('scrollY');
    expect(top).toBeGreaterThan(500);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/threads/${id}`);
    await page.goBack();
    await page.locator('.line.current', { hasText: id! }).waitFor();
    await untilTrue(page, `Math.abs(scrollY - ${top}) < 5`);
    await page.keyboard.press('j');
    expect(await page.locator(':focus').textContent()).not.toBe(id);
  });

  it('say that the server is lost, and go on by themselves', async () => {
    const page = await openLive({ path: '/?q=waiting' });
    await expectIds(page, ['waiting-1']);
    await server.process.kill();
    await page.getByRole('alert').getByText('Waystation does not answer').waitFor();
    await page.getByText('not live').waitFor();
    expect(await ids(page)).toEqual(['waiting-1']);
    await server.restart();
    await record(server.api, started('waiting-2'));
    await page.mouse.move(5, 5);
    await expectIds(page, ['waiting-2', 'waiting-1']);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('say what the server said when it refuses, and try again', async () => {
    // The previous page may still request its list, which has another address.
    const page = await openLive();
    let refused = 0;
    await page.context().route('**/threads?*q=refused*', async (route) => {
      const body = JSON.stringify({ title: 'Busy', status: 503, detail: 'Too many readers.' });
      await route.fulfill({ status: 503, contentType: 'application/problem+json', body });
      refused += 1;
    });
    await page.goto(`${server.api.baseUrl}/console/?q=refused`);
    await page.getByText('Too many readers.').waitFor();
    // The list sends one more request when its stream is open.
    await waitFor('both refusals', () => refused >= 2);
    await page.context().unroute('**/threads?*q=refused*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No thread matches these filters').waitFor();
  });

  it('become cards on a phone', async () => {
    const page = await openLive(NARROW);
    const row = rowOf(page, 'waiting-1');
    await row.waitFor();
    expect((await row.boundingBox())!.height).toBe(64);
    const [id, status] = [await row.locator('.id').boundingBox(), await row.locator('.state').boundingBox()];
    expect(Math.abs(id!.y - status!.y)).toBeLessThan(12);
    expect(await widthOf(page)).toBe(390);
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('menuitemradio', { name: 'highest cost' }).click();
    await page.waitForURL(/sort=total_cost_usd/);
    await untilTrue(page, `document.querySelector('.line a').textContent === 'costly'`);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('can be read and used at twice the size', async () => {
    // A browser at 200 % zoom has a window of half the size.
    const page = await openLive({ width: 720, height: 450 });
    await page.getByRole('button', { name: 'Waiting', exact: true }).click();
    await expectIds(page, ['waiting-2', 'waiting-1'].slice(1));
    expect(await widthOf(page)).toBe(720);
  });

  it.each([1440, 720, 390])(
    'stand still when the sums and the count arrive in a window of %d pixels',
    async (width) => {
      const page = await open({ width, height: 450 });
      let letGo = (): void => undefined;
      // The sums, and the requests for the number of all threads.
      const held = new Promise<void>((resolve) => (letGo = resolve));
      await page.context().route(/\/v1\/stats\?|[?&](count|cursor)=/, (route) => held.then(() => route.continue()));
      await page.reload();
      await page.locator('.line').first().waitFor();
      const filter = page.getByRole('button', { name: 'Waiting', exact: true });
      const before = await filter.boundingBox();
      expect(before).not.toBeNull();
      letGo();
      await page.locator('.hours').waitFor();
      await page.locator('.view-head .total').waitFor();
      expect(await filter.boundingBox()).toEqual(before);
    },
  );

  it('satisfy axe with many rows', async () => {
    expect(await axeViolations(await openLive())).toEqual([]);
  });

  it('are found by what is typed while threads change all the time', async () => {
    const page = await openLive();
    const find = page.getByRole('searchbox', { name: /^Search by thread/ });
    let isOver = false;
    const busy = (async () => {
      for (let step = 0; !isOver; step += 1) await record(server.api, checkpoint('busy', step));
    })();
    try {
      await rowOf(page, 'busy').waitFor();
      await find.pressSequentially('cost');
      await page.waitForURL(/q=cost/);
      await expectIds(page, ['costly']);
      await page.goBack();
      await rowOf(page, 'busy').waitFor();
      expect(await find.inputValue()).toBe('');
    } finally {
      isOver = true;
      await busy;
    }
  });

  it('do not move for those who asked for no motion', async () => {
    const page = await openLive({ path: '/?q=calm' });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await record(server.api, started('calm'));
    await rowOf(page, 'calm').waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });
});

/** Threads of every kind, in addition to many others. */
async function seed(): Promise<void> {
  const many = Array.from({ length: MANY }, (_, index) => started(`many-${index}`));
  await record(server.api, ...many);
  await record(server.api, started('costly'), checkpoint('costly', 0, { run_cost_usd: 0.4 }), completed('costly'));
  await record(server.api, started('cheap'), checkpoint('cheap', 0, { run_cost_usd: 0.1 }), completed('cheap'));
  const asks = { status: 'waiting_for_approval', pending_tool_calls: [{ id: 'c', name: 'refund', arguments: {} }] };
  const biller = { agent_id: 'biller' };
  await record(server.api, started('waiting-1', biller), checkpoint('waiting-1', 0, { ...biller, ...asks }));
  await record(server.api, started('failed-1'), failed('failed-1', { error: 'no key for the model' }));
  const said = (text: string) => ({ history: [{ role: 'assistant', content: text }] });
  await record(server.api, started(LONG_ID), checkpoint(LONG_ID, 0, said('x'.repeat(5_000))));
  await record(server.api, started(HOSTILE), checkpoint(HOSTILE, 0, said(HOSTILE)));
}

function rowOf(page: Page, id: string): Locator {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name: new RegExp(`${id}(?!\\d)`) }) });
}

function ids(page: Page): Promise<string[]> {
  return page.locator('.line a').allTextContents();
}

async function expectIds(page: Page, expected: string[]): Promise<void> {
  await untilTrue(
    page,
    `JSON.stringify([...document.querySelectorAll('.line a')].map((link) => link.textContent)) === '${JSON.stringify(expected)}'`,
  );
}

/** The width of the page's content: more than the window means that it scrolls sideways. */
function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('Math.max(document.documentElement.scrollWidth, innerWidth)');
}
