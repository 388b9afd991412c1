import type { Page } from 'playwright-core';
import { checkpoint } from '../../factories/events.js';
import { newRun, waiting } from '../../factories/waiting.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { createChannel, telegramOrder } from '../../support/channels.js';
import { axeViolations } from '../../support/console/axe.js';
import { untilTrue } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

/** What opens a view's dialog: the button, and the first field, which then has the focus; none for a dialog that only asks. */
interface Opens {
  button: string | RegExp;
  field?: string | RegExp;
}

describeInBrowser('By keyboard alone', () => {
  const openPage = useConsole(server);
  let agent: FakeAgent;
  let channel: string;
  const run = newRun('keys');

  beforeAll(async () => {
    agent = await FakeAgent.start();
    agent.api = server.api;
    await agent.beat();
    await record(server.api, waiting(run, 1), checkpoint('another', 0, { model: 'small' }));
    channel = (await createChannel(server.api, telegramOrder({ name: 'Front desk' }))).id;
    await server.api.post('/v1/tokens', { scope: 'reader', name: 'Auditor' });
    await server.api.post('/v1/tokens', { scope: 'admin', name: 'Deputy' });
  });
  afterAll(() => agent?.close());

  const views = (): [path: string, opens: Opens[]][] => [
    ['/agents', [{ button: 'Start a run of support', field: 'Message' }]],
    [
      `/threads/${run.threadId}`,
      [
        { button: 'Continue', field: 'Message' },
        { button: 'Cancel', field: 'Reason (optional)' },
        { button: 'Delete' },
      ],
    ],
    [
      '/system',
      [
        { button: 'New token', field: 'Scope' },
        { button: 'Revoke Auditor' },
        { button: 'Revoke Deputy', field: 'Also revoke the tokens that it created' },
        { button: /^Sign out .*\(this session\)$/ },
      ],
    ],
    ['/channels', [{ button: 'New channel: Telegram', field: 'Name' }]],
    [
      `/channels/${channel}`,
      [{ button: 'Settings', field: 'Name' }, { button: 'Replace config', field: /./ }, { button: 'Remove' }],
    ],
  ];

  /** Focuses the first field, if there is one; Tab never leaves the dialog. */
  async function holdsTheFocus(page: Page, shown: string, field: string | RegExp | undefined): Promise<void> {
    if (field !== undefined)
      await untilTrue(page, 'document.activeElement.matches("[role=dialog] :is(input, select, textarea)")');
    if (typeof field === 'string') expect([shown, await focusedName(page)]).toEqual([shown, field]);
    for (let tab = 0; tab < 4; tab += 1) {
      await page.keyboard.press('Tab');
      expect([shown, await page.evaluate('!!document.activeElement.closest("[role=dialog]")')]).toEqual([shown, true]);
    }
  }

  it('every dialog opens with its first field, keeps the focus, fits the window, and closes on Escape', async () => {
    await agent.beat();
    const page = await openPage({ path: '/agents' });
    const schemes: ('light' | 'dark')[] = ['light', 'dark'];
    for (const [path, opens] of views()) {
      await page.goto(`${server.api.baseUrl}/console${path}`);
      for (const { button, field } of opens) {
        const opener = page.locator('#main').getByRole('button', { name: button, exact: true }).first();
        await opener.waitFor();
        await untilTrue(page, '!document.querySelector("[role=dialog]")');
        await opener.focus();
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        await dialog.waitFor();
        const shown = `${path} ${String(button)}`;
        await holdsTheFocus(page, shown, field);
        await fitsEveryWindow(page, shown);
        await page.emulateMedia({ colorScheme: schemes.reverse()[0]! });
        expect([shown, await axeViolations(page)]).toEqual([shown, []]);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await page.setViewportSize(SIZES[0]!);
      }
    }
  });

  it('a form is sent by Ctrl Enter in any of its fields', async () => {
    await agent.beat();
    const page = await openPage({ path: '/agents?start=support' });
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Look after it');
    await page.keyboard.press('Control+Enter');
    await page.waitForURL('**/console/threads/**');
    expect(agent.runs.at(-1)).toMatchObject({ message: 'Look after it' });
  });

  it('every menu opens, closes on one Escape, and is left by Tab', async () => {
    const page = await openPage({ path: '/', width: 390, height: 844 });
    for (const name of ['Agent', 'Model', 'Changed', 'Sort']) {
      const chip = page.getByRole('button', { name: new RegExp(`^${name}: `) });
      const isFocused = () =>
        untilTrue(page, `document.activeElement?.textContent.startsWith(${JSON.stringify(name)})`);
      await chip.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menu').waitFor();
      expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 390]);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await isFocused();
      await page.keyboard.press('Enter');
      await page.getByRole('menu').waitFor();
      await page.keyboard.press('Tab');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await untilTrue(
        page,
        `document.activeElement !== document.body && !document.activeElement.textContent.startsWith(${JSON.stringify(name)})`,
      );
    }
  });

  it('the search takes every key from Ctrl K on, and nothing moves under who points at a find', async () => {
    await agent.beat();
    const page = await openPage({ path: '/agents' });
    await page.getByRole('button', { name: 'Start a run of support' }).waitFor();
    // Its code arrives late, and so do the server's responses.
    let letCode!: () => void;
    const code = new Promise<void>((resolve) => (letCode = resolve));
    await page.route('**/assets/search-dialog*', async (route) => (await code, route.continue()));
    let letAnswer!: () => void;
    const answer = new Promise<void>((resolve) => (letAnswer = resolve));
    await page.route('**/threads?**q=start**', async (route) => (await answer, route.continue()));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('start su');
    letCode();
    const field = page.getByLabel('Threads, agents, channels');
    await field.waitFor();
    await page.keyboard.type('pport');
    await untilTrue(page, 'document.activeElement.value === "start support"');
    const find = page.getByRole('menuitem', { name: 'Start a run of support' }).first();
    const box = (await find.boundingBox())!;
    // The previous text's threads disappear between pressing and releasing.
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y - 2);
    await page.mouse.move(x, y);
    await page.mouse.down();
    const answered = page.waitForResponse('**/threads?**q=start**');
    letAnswer();
    await answered;
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await page.mouse.up();
    await page.getByRole('dialog').getByLabel('Message').waitFor();
    await page.keyboard.press('Escape');
    // Nor is one lost later, when the code is loaded, or the last text left over.
    for (const text of ['stop', 'system']) {
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.keyboard.type(text);
      await untilTrue(page, `document.activeElement.value === "${text}"`);
      await page.keyboard.press('Escape');
    }
  });

  it('the keys are listed like a page, and the colours have the size of a finger on a phone', async () => {
    const page = await openPage({ path: '/system', width: 390, height: 844 });
    await page.getByRole('heading', { name: 'System' }).waitFor();
    for (const name of ['Light', 'As the device', 'Dark']) {
      const { width, height } = (await page.getByRole('radio', { name }).boundingBox())!;
      expect([name, width >= 44, height >= 44]).toEqual([name, true, true]);
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    // Each key is shown beside its action, even if the search was never opened.
    await untilTrue(page, 'getComputedStyle(document.querySelector(".keys dl div")).display === "grid"');
    await fitsEveryWindow(page, 'keys');
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

async function fitsEveryWindow(page: Page, shown: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    expect([shown, size.width, await page.evaluate(OUTSIDE)]).toEqual([shown, size.width, []]);
  }
}

/** The name of the focused field. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? document.activeElement.ariaLabel');
}

/** Parts of the dialog that stick out of the window sideways or cannot be scrolled to. */
const OUTSIDE = `(() => {
  const dialog = document.querySelector('[role=dialog]');
  const modal = dialog.parentElement.getBoundingClientRect();
  const wide = [...dialog.querySelectorAll('button, input, select, textarea, p, h2, dd')].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 0 && (left < 0 || right > innerWidth + 1);
  });
  return [...wide.map((element) => element.outerHTML.slice(0, 80)), ...(modal.bottom > innerHeight + 1 ? ['too high'] : [])];
})()`;
