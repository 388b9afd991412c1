import type { Browser, Page } from 'playwright-core';
import { newRun, toolCall, waiting } from '../../factories/waiting.js';
import { findBrowser, openBrowser } from '../../support/browser.js';
import { axeViolations } from '../../support/console/axe.js';
import { openConsole } from '../../support/console/open-console.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const browserFile = findBrowser();
const describeInBrowser = browserFile === null ? describe.skip : describe;

const ELSEWHERE = 'http://attacker.invalid';
/** Text that somebody may send to an agent, or put into a page that it reads. */
const CORPUS = [
  '<script>alert(1)</script>',
  `<img src="${ELSEWHERE}/beacon.png" onerror="alert(2)">`,
  '<svg onload="alert(3)"><animate onbegin="alert(4)" attributeName="x" dur="1s"></svg>',
  `<iframe src="${ELSEWHERE}/frame"></iframe><link rel="stylesheet" href="${ELSEWHERE}/style.css"><style>@import '${ELSEWHERE}/x.css'</style>`,
  '<a href="javascript:alert(5)">html</a> [one](javascript:alert(6)) [two](JaVaScRiPt:alert(7)) [three](&#106;avascript:alert(8)) [four](data:text/html,<script>alert(9)</script>)',
  `![a picture](${ELSEWHERE}/picture.png) [bank.example](${ELSEWHERE}/login) <${ELSEWHERE}/auto>`,
  '<form action="https://attacker.invalid"><input name="password"><button>Sign in</button></form>',
  'pay\u200bpal \u202Etxt.exe\u202C \u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 \u0000 \ufeff',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(10)>',
  '```html\n<script>alert(11)</script>\n```\n`<b onmouseover=alert(12)>`',
  `|a|b|\n|-|-|\n|<img src=x onerror=alert(13)>|[x](javascript:alert(14))|`,
  '{{constructor.constructor("alert(15)")()}} ${alert(16)} %3Cscript%3Ealert(17)%3C/script%3E',
  `Z${'\u0301'.repeat(2_000)} ${'[('.repeat(3_000)} ${'> '.repeat(2_000)}x`,
].join('\n\n');

function deep(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level += 1) value = { next: [value] };
  return value;
}

describeInBrowser('What strangers write, in the console', () => {
  let browser: Browser;
  let page: Page;
  let faults: string[];
  let close: () => Promise<void>;
  const elsewhere: string[] = [];

  beforeAll(async () => {
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: '<b>look\u202E</b>', arguments: JSON.stringify({ q: CORPUS }) },
    };
    await record(
      server.api,
      waiting(newRun(), 1, {
        agent_id: 'ag<img src=x onerror=alert(18)>ent',
        approval_features: ['per_call', 'edit_args'],
        history: [
          { role: 'system', name: '<i>sys</i>', content: `${'long text '.repeat(500_000)}${CORPUS}` },
          { role: 'user', content: CORPUS },
          { role: 'assistant', reasoning_content: CORPUS, content: CORPUS, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c1', content: CORPUS },
          { role: 'assistant', content: [{ type: 'image_url', image_url: { url: `${ELSEWHERE}/message.png` } }] },
        ],
        pending_tool_calls: [
          toolCall('rm -rf <script>alert(19)</script>\u202E', { text: CORPUS, number: 1 }),
          toolCall('deep', { value: deep(400) }, 'c2'),
        ],
      }),
    );
    browser = await openBrowser(browserFile!);
    const { baseUrl: url, token } = server.api;
    const console = await openConsole(browser, { url, token }, { path: '/approvals' });
    ({ page, faults } = console);
    close = () => console.context.close();
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:')) elsewhere.push(request.url());
    });
    page.on('popup', (popup) => elsewhere.push(`popup ${popup.url()}`));
    await page.locator('.ask').waitFor();
    await page.getByText('All 5 messages').waitFor();
  });
  afterAll(async () => {
    await close?.();
    await browser?.close();
  });
  afterEach(() => expect([...faults, ...elsewhere]).toEqual([]));

  it('is shown as what it is: nothing runs, nothing is asked for elsewhere', async () => {
    const text = await page.locator('.ask').innerText();
    for (const part of [
      '<script>alert(1)</script>',
      'U+202E',
      'ESC[31m',
      'U+200B',
      `${ELSEWHERE}/picture.png`,
      'ag<img src=x',
    ])
      expect(text).toContain(part);
    const made =
      'article :is(script, iframe, img, object, embed, form, style, link, math, video, audio, svg:not(.icon))';
    expect(await page.locator(made).count()).toBe(0);
    expect(await page.locator('article [style*="url"], article [onerror], article [onload]').count()).toBe(0);
  });

  it('has links that show where they lead, to http, https and mailto only', async () => {
    const links = await page
      .locator('.markdown a')
      .evaluateAll((found) =>
        found.map((link) => ['href', 'target', 'rel'].map((name) => link.getAttribute(name)).join(' ')),
      );
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect(link).toMatch(/^(https?:\/\/|mailto:)\S+ _blank noopener noreferrer$/);
    const disguised = page.locator('.markdown p', { has: page.locator(`a[href="${ELSEWHERE}/login"]`) }).first();
    expect(await disguised.innerText()).toContain('bank.example ⟨attacker.invalid/login⟩');
  });

  it('stays so when everything is opened, in both schemes', async () => {
    for (const name of [/^Thinking/, /look/]) await page.getByRole('button', { name }).first().click();
    await page.getByText('Result', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Raw' }).first().click();
    const tree = page.getByRole('tree');
    await tree.focus();
    for (const key of ['End', 'ArrowLeft', 'ArrowRight', 'Home', 'ArrowDown', 'ArrowRight', 'c'])
      await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.keyboard.press('e');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('warns of what one cannot see, where somebody decides', async () => {
    await page.getByText('Contains invisible or direction-changing characters').first().waitFor();
    expect(await page.locator('.ask-head, .call .name').first().innerText()).toContain('ag<img');
  });

  it('stops nobody by its size: 5 MB are cut, and shown on request', async () => {
    const run = newRun();
    const huge = { text: 'x '.repeat(250_000), numbers: Array.from({ length: 60_000 }, (_, at) => at) };
    const fields = { agent_id: 'huge', history: [{ role: 'user', content: 'y '.repeat(2_400_000) }] };
    await record(server.api, waiting(run, 1, { ...fields, pending_tool_calls: [toolCall('write', huge)] }));
    const { baseUrl: url, token } = server.api;
    const large = await openConsole(browser, { url, token }, { path: '/approvals?agent=huge' });
    const button = large.page.locator('.conversation').getByRole('button', { name: 'Show all' });
    await button.click();
    await button.waitFor({ state: 'detached' });
    expect(await large.page.locator('.conversation .plain-text').count()).toBeGreaterThan(200);
    await large.page.getByRole('button', { name: 'Raw' }).click();
    await large.page.getByRole('button', { name: 'Open all' }).click();
    await large.page.getByRole('tree').focus();
    await large.page.keyboard.press('End');
    expect(await large.page.getByRole('treeitem').count()).toBeLessThan(100);
    expect(large.faults).toEqual([]);
    await large.context.close();
  });
});
