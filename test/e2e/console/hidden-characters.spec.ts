import type { Browser, Page } from 'playwright-core';
import { checkpoint } from '../../factories/events.js';
import { newRun, toolCall, waiting } from '../../factories/waiting.js';
import { findBrowser, openBrowser } from '../../support/browser.js';
import { openConsole } from '../../support/console/open-console.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const browserFile = findBrowser();
const describeInBrowser = browserFile === null ? describe.skip : describe;

/** Reverses the text after it, and is itself invisible. */
const TURN = '\u202e';
const NOTHING = '\u200b';
/** Begins a terminal command; ids cannot contain it. */
const COMMAND = '\u009b31m';

const run = { threadId: `thread${TURN}${NOTHING}`, traceId: `trace${TURN}` };
const agent = `agent${TURN}${NOTHING}`;
const text = `said${TURN}${COMMAND}`;

/** Parts of the page, its attributes and its fields that contain such a character. Runs in the browser. */
const FOUND = `(() => {
  const hidden = /[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b\\u202a-\\u202e\\u2066-\\u2069]/;
  const found = [];
  const look = (where, text) => { if (text && hidden.test(text)) found.push(where + ': ' + JSON.stringify(text).slice(0, 80)); };
  look('title of the tab', document.title);
  for (const element of document.querySelectorAll('body *')) {
    const where = element.tagName.toLowerCase() + '.' + String(element.className.baseVal ?? element.className);
    for (const name of ['title', 'aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'alt']) look(where + ' ' + name, element.getAttribute(name));
    if ('value' in element && typeof element.value === 'string') look(where + ' value', element.value);
    for (const node of element.childNodes) if (node.nodeType === 3) look(where, node.data);
  }
  return found;
})()`;

describeInBrowser('Characters that turn a text around or that nobody sees, in the console', () => {
  let browser: Browser;
  let page: Page;
  let close: () => Promise<void>;
  const go = async (path: string, sign: string) => {
    await page.goto(`${server.api.baseUrl}/console${path}`);
    await page.getByText(sign).first().waitFor();
  };
  const found = () => page.evaluate<string[]>(FOUND);

  beforeAll(async () => {
    const history = [
      {
        role: 'user',
        name: `n${TURN}`,
        content: `${text} [link${TURN}](javascript:x${TURN}) <https://a.example/${TURN}>`,
      },
      { role: 'assistant', content: text, tool_calls: [toolCall(`tool${TURN}`, { [`k${TURN}`]: text })] },
      { role: 'tool', tool_call_id: `call-tool${TURN}`, content: text },
      { role: `role${TURN}`, content: text },
    ];
    const fields = { agent_id: agent, model: `model${TURN}`, history, history_meta: undefined };
    await record(server.api, checkpoint(run.threadId, 0, { trace_id: run.traceId, status: `in_progress`, ...fields }));
    const failed = { threadId: `failed${TURN}`, traceId: `failing${TURN}` };
    const error = { type: `type${TURN}`, message: text };
    await record(
      server.api,
      checkpoint(failed.threadId, 0, { trace_id: failed.traceId, status: 'error', error, ...fields }),
    );
    const asked = [toolCall(`look${TURN}`, { [`k${TURN}`]: text, exact: 1 }), toolCall(`second${NOTHING}`, { text })];
    const features = ['per_call', 'edit_args'];
    await record(server.api, waiting(run, 1, { ...fields, approval_features: features, pending_tool_calls: asked }));
    await server.api.post('/v1/tokens', { scope: 'reader', name: `token${TURN}` });
    browser = await openBrowser(browserFile!);
    const { baseUrl: url, token } = server.api;
    const opened = await openConsole(browser, { url, token }, { path: '/' });
    page = opened.page;
    close = () => opened.context.close();
  });
  afterAll(async () => {
    await close?.();
    await browser?.close();
  });

  it.each([
    ['/', 'thread'],
    ['/approvals', 'look'],
    ['/agents', 'Agents'],
    ['/system', 'token'],
    [`/threads/${encodeURIComponent(run.threadId)}`, 'said'],
    [`/threads/${encodeURIComponent(`failed${TURN}`)}`, 'said'],
    [`/threads/${encodeURIComponent(`none${TURN}`)}`, 'There is no such thread'],
  ])('are drawn as boxes or names at %s', async (path, sign) => {
    await go(path, sign);
    expect(await found()).toEqual([]);
    for (const button of await page.getByRole('button', { name: /^(Raw|Open all|Thinking|tool|look)/ }).all()) {
      await button.click({ timeout: 2_000 }).catch(() => undefined);
    }
    expect(await found()).toEqual([]);
  });

  it('are escapes where the arguments are edited, and stay what they are', async () => {
    await go('/approvals', 'look');
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
    const area = page.getByRole('textbox', { name: /as JSON/ });
    const shown = await area.inputValue();
    expect(shown).toContain(`\\u202e`);
    expect(JSON.parse(shown)).toEqual({ [`k${TURN}`]: text, exact: 1 });
    expect(await found()).toEqual([]);
    await area.fill(shown.replace('1', '2'));
    expect(await found()).toEqual([]);
  });

  it('do not make the browser draw for seconds: what is nothing but marks is shown as it is written', async () => {
    const heavy = newRun();
    const calls = Array.from({ length: 3_000 }, (_, at) => toolCall('look', { at }, `c${at}`));
    const history = [
      { role: 'user', content: '```\n```\n'.repeat(2_500) },
      { role: 'assistant', content: 'Many.', tool_calls: calls },
    ];
    await record(
      server.api,
      checkpoint(heavy.threadId, 0, { trace_id: heavy.traceId, history, history_meta: undefined }),
    );
    await go(`/threads/${heavy.threadId}`, 'more parts of this message');
    expect(await page.getByRole('button').count()).toBeLessThan(800);
  });
});
