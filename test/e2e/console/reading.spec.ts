import type { Page } from 'playwright-core';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { MAIL, newRun, REFUND, waiting } from '../../factories/waiting.js';
import { untilTrue } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { createChannel, telegramOrder } from '../../support/channels.js';
import { claimed, settled } from '../../support/effects.js';
import { ok, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const threadId = newThreadId(`reading ${'long-id-'.repeat(12)}`);
const LONG_NAME = 'a-rather-long-name-of-an-agent-'.repeat(4);
/** An address below `/console`, and a text that the drawn view contains. */
type View = [path: string, text: string];
/** Every view except those of agents and channels: there are none at first. */
const VIEWS: View[] = [
  ['/', 'no spaces'],
  [`/threads/${encodeURIComponent(threadId)}?run=run-1`, 'Transcript'],
  [`/threads/${encodeURIComponent(threadId)}?run=run-1&tab=difference`, 'Compared with'],
  ['/approvals', 'What led to it'],
  ['/approvals?kind=decided', 'No decisions yet'],
  ['/system', 'The doctor says'],
];
const EMPTY_VIEWS: View[] = [
  ['/agents', 'No agent has called yet'],
  ['/channels', 'No channel yet'],
];
const OPENS_DIALOG = /start=|create=|new=/;
/** A phone, a laptop, and windows at 200 % zoom: 1280 px are 640 px for the page, 1024 px are 512. */
const SIZES = [
  { width: 390, height: 844 },
  { width: 1024, height: 768 },
  { width: 640, height: 400 },
  { width: 512, height: 384 },
];

/** What sticks out of the window sideways, except within scrollable parts. */
const STICKING_OUT = `[...document.querySelectorAll('body *')].filter((one) => {
  const box = one.getBoundingClientRect();
  if (box.width === 0 || (box.right <= innerWidth + 1 && box.left >= -1)) return false;
  for (let at = one.parentElement; at; at = at.parentElement)
    if (getComputedStyle(at).overflowX !== 'visible' && at.getBoundingClientRect().right <= innerWidth + 1) return false;
  return getComputedStyle(one).position !== 'fixed' && !one.closest('.unseen, .skip');
}).map((one) => one.tagName + '.' + one.className)`;

/** Truncated labels of buttons, tabs and links. */
const CUT = `[...document.querySelectorAll('main button, main [role=tab], nav a, [role=dialog] button')]
  .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible')
  .map((one) => one.textContent)`;

/** Visible, enabled controls, except members of a group in which the arrow keys move. An open dialog keeps Tab to itself. */
const ACTS = `[...(document.querySelector('[role=dialog]') ?? document).querySelectorAll('a[href], button, input, select, textarea')]
  .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true }) && one.tabIndex >= 0)
  .filter((one) => !one.closest('[role=tablist], [role=radiogroup], [role=toolbar]'))`;

/** Marks every control as unreached; a round of Tab removes the marks of those that it reaches. */
const MARK = `${ACTS}.forEach((one) => one.setAttribute('data-unreached', ''));`;
const UNREACHED = `[...document.querySelectorAll('[data-unreached]')].map((one) => one.outerHTML.slice(0, 120))`;
/** A control in the page's accessibility tree: its role, its name as JSON, and further properties. */
const CONTROL =
  /^\s*- '?(?:button|link|tab|textbox|searchbox|combobox|checkbox|switch|radio|menuitem|slider) ("(?:[^"\\]|\\.)*")(.*)$/gm;
/** Controls that the search need not find, with the reason. */
const NOT_SEARCHED: Record<string, string> = {
  'Skip to the view': 'helps keys past the navigation, which the search passes, too',
  Search: 'is what opened the search',
};
/** Elements with a hand cursor that are not controls. In the picture of the track, a press chooses a step, like the slider below it. */
const HANDS = `[...document.querySelectorAll('body *')]
  .filter((one) => getComputedStyle(one).cursor === 'pointer' && getComputedStyle(one.parentElement).cursor !== 'pointer')
  .filter((one) => !one.matches('button, a[href], summary, input, select, textarea, label, [role=tab], [role=switch]'))
  .filter((one) => !one.closest('.plot[aria-hidden=true]')).map((one) => one.outerHTML.slice(0, 120))`;

/**
 * Types each name into the search and waits for the expected number of results. Returns the names that were not found; threads come from
 * the server.
 */
const SEARCH = `async (controls) => {
  const field = document.querySelector('.search-field input');
  const type = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const LONGEST_MS = 10_000;
  const change = () =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => (observer.disconnect(), resolve()));
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
      setTimeout(() => (observer.disconnect(), resolve()), LONGEST_MS);
    });
  const missing = [];
  for (const [name, count] of controls) {
    type.call(field, name);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    const isFound = () =>
      [...document.querySelectorAll('[role=menuitem]')].filter((one) => one.textContent.includes(name)).length >= count;
    for (const until = performance.now() + LONGEST_MS; !isFound() && performance.now() < until; ) await change();
    if (!isFound()) missing.push(name);
  }
  return missing;
}`;

/** Removes the focused element's mark; whether any is left. */
const REACH = `document.activeElement.removeAttribute('data-unreached'), document.querySelector('[data-unreached]') !== null`;
const MOST_TABS = 120;

const MOVING = `document.getAnimations().filter(({ effect }) => effect.getComputedTiming().activeDuration > 1)
  .map(({ effect }) => effect.target.className)`;

describeInBrowser('The console', () => {
  const open = useConsole(server);

  beforeAll(async () => {
    const said = `A text with ${'nospaces'.repeat(60)} and \`${'code'.repeat(80)}\`.`;
    const history = [
      { role: 'user', content: said },
      { role: 'assistant', content: `| a | b |\n|-|-|\n| ${'wide '.repeat(80)} | ${'x'.repeat(300)} |` },
    ];
    await record(server.api, checkpoint(threadId, 0, { history: history.slice(0, 1) }));
    await record(server.api, checkpoint(threadId, 1, { history }));
    await record(server.api, waiting(newRun(), 1, { agent_id: 'a-rather-long-name-of-an-agent', history }));
    const calls = { pending_tool_calls: [REFUND, MAIL], approval_features: ['per_call', 'edit_args'] };
    await record(server.api, waiting(newRun(), 1, { agent_id: 'desk', history, ...calls }));
    await record(server.api, checkpoint(newThreadId('no spaces'), 0, { agent_id: 'no spaces' }));
    await claimed(server.api, 'doubted', { agent_id: 'desk', key: 'k', claim_id: 'k' });
    await settled(server.api, 'doubted', { outcome: 'unknown', claim_id: 'k' }, 'k');
  });

  /** Views that were empty have content after the first call. */
  const filled = () => (full ??= fill());
  let full: Promise<View[]> | undefined;

  async function fill(): Promise<View[]> {
    const next = Array.from({ length: 5 }, (_, hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const triggers = [
      { id: 'triggers[0]', type: 'schedule', cron: '0 9 * * *', timezone: 'America/Argentina/Buenos_Aires', next },
      { id: 'triggers[1]', type: 'webhook', endpoint: `/hooks/${'part-'.repeat(30)}` },
    ];
    const endpoint = `http://127.0.0.1:9/${'long/'.repeat(40)}`;
    const data = { agent_id: LONG_NAME, endpoint, triggers };
    ok(await server.api.post('/v1/runners/events', { events: [{ type: 'heartbeat', data }] }));
    const { id } = await createChannel(server.api, telegramOrder({ name: `Desk ${'long-name-'.repeat(9)}` }));
    return [
      ['/agents', 'reached at'],
      [`/agents?start=${LONG_NAME}`, 'What the agent should do.'],
      ['/channels', 'Desk'],
      ['/channels?create=whatsapp', 'Phone number id'],
      [`/channels/${id}`, 'Public address of this server'],
      ['/system?new=token', 'Create the token'],
    ];
  }

  async function show(page: Page, [path, text]: View): Promise<void> {
    await page.goto(`${server.api.baseUrl}/console${path}`);
    await page.getByText(text).first().waitFor();
  }

  /** Checks each size. */
  async function expectToFit(page: Page, [path]: View): Promise<void> {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      const found = {
        ...{ path, width: size.width, page: await page.evaluate('document.documentElement.scrollWidth') },
        ...{ out: await page.evaluate(STICKING_OUT), cut: await page.evaluate(CUT) },
      };
      expect(found).toEqual({ path, width: size.width, page: size.width, out: [], cut: [] });
    }
  }

  async function expectTabToReachAll(page: Page, [path]: View): Promise<void> {
    await page.setViewportSize({ width: 1024, height: 2_000 });
    await page.evaluate(MARK);
    for (let tabs = 0, isLeft = true; isLeft && tabs < MOST_TABS; tabs += 1) {
      await page.keyboard.press('Tab');
      isLeft = await page.evaluate(REACH);
    }
    expect([path, await page.evaluate(UNREACHED)]).toEqual([path, []]);
  }

  it('is read on a phone and at 200 % without scrolling sideways, moves nothing unasked, and lets Tab reach everything that acts', async () => {
    const page = await open();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    for (const views of [() => [...VIEWS, ...EMPTY_VIEWS], filled])
      for (const view of await views()) {
        await show(page, view);
        expect([view[0], await page.evaluate(MOVING)]).toEqual([view[0], []]);
        await expectToFit(page, view);
        await expectTabToReachAll(page, view);
      }
  });

  /** The names of all current controls, with the number of each. */
  async function controlsOf(page: Page): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const [, text, more] of (await page.locator('body').ariaSnapshot()).matchAll(CONTROL)) {
      // The navigation counts what waits.
      const name = (JSON.parse(text!) as string).replace(/ \d+ waiting$/, '').slice(0, 100);
      if (!more!.includes('[disabled]') && !(name in NOT_SEARCHED)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }

  /** Controls of the page that the search does not find, or not often enough. @param known how often a name was found before */
  async function missingFinds(page: Page, known: Map<string, number>): Promise<string[]> {
    const controls = [...(await controlsOf(page))].filter(([name, count]) => count > (known.get(name) ?? 0));
    await page.keyboard.press('Control+k');
    await page.locator('.search-field input').waitFor();
    const missing = await page.evaluate<string[]>(`(${SEARCH})(${JSON.stringify(controls)})`);
    for (const [name, count] of controls) if (!missing.includes(name)) known.set(name, count);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    return missing;
  }

  it('lets the search find everything that a mouse can reach', async () => {
    const page = await open();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    const known = new Map<string, number>();
    for (const view of [...VIEWS, ...(await filled())].filter(([path]) => !OPENS_DIALOG.test(path))) {
      await show(page, view);
      expect([view[0], await page.evaluate(HANDS)]).toEqual([view[0], []]);
      let missing: string[] = [];
      // The view may continue to load while the search is open.
      const all = async () => (missing = await missingFinds(page, known)).length === 0;
      await waitFor('all finds', all).catch((error: Error) => {
        throw new Error(`${view[0]} has what the search does not find: ${missing.join('; ')}`, { cause: error });
      });
    }
  });

  it('scrolls a wide table of a thread with the arrow keys', async () => {
    const page = await open({ path: VIEWS[1]![0] });
    await page.getByRole('group', { name: 'Table' }).first().focus();
    await page.keyboard.press('ArrowRight');
    await untilTrue(page, 'document.activeElement.scrollLeft > 0');
  });

  it('asks before it acts in a dialog that keys open, use and leave', async () => {
    const page = await open({ path: VIEWS[1]![0] });
    for (const name of ['Cancel', 'Delete']) {
      const button = page.getByRole('button', { name, exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement.closest('[role=dialog]') !== null`)).toBe(true);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await untilTrue(page, `document.activeElement?.textContent.includes('${name}')`);
    }
  });
});
