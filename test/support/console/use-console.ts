import type { Browser, Page } from 'playwright-core';
import { findBrowser, openBrowser } from '../browser.js';
import type { ApiClient } from '../api-client.js';
import { openConsole, type ConsoleOptions, type OpenedConsole } from './open-console.js';

const browserFile = findBrowser();
/** How much of a page a failed test prints, in characters. */
const MOST_SHOWN = 4_000;

/** A suite that needs a browser; skipped if this machine has none, which {@link findBrowser} reports. */
export const describeInBrowser = browserFile === null ? describe.skip : describe;

/** Opens a page of the console; `token` signs in, by default the server's. */
export type OpenPage = (options?: ConsoleOptions, token?: string | null) => Promise<Page>;

/**
 * One browser for the tests of a suite; call it in the suite's `describe`. Closes a test's windows after it; a policy violation, a script
 * error or a dialog in any of them fails the test.
 */
export function useConsole(server: { api: Pick<ApiClient, 'baseUrl' | 'token'> }): OpenPage {
  let browser: Browser;
  const opened: OpenedConsole[] = [];
  Object.assign(globalThis, { WAYSTATION_ON_FAILURE: () => Promise.all(opened.map(({ page }) => show(page))) });
  beforeAll(async () => {
    browser = await openBrowser(browserFile!);
  });
  afterAll(async () => browser?.close());
  afterEach(async () => {
    const all = opened.splice(0);
    await Promise.all(all.map(({ context }) => context.close()));
    expect(all.flatMap(({ faults }) => faults)).toEqual([]);
  });
  return async (options = {}, token = server.api.token) => {
    const one = await openConsole(browser, { url: server.api.baseUrl, token }, options);
    opened.push(one);
    return one.page;
  };
}

/** A failure that happens once, on another machine, is understood only from what the page showed. */
async function show(page: Page): Promise<void> {
  const text = await page.evaluate<string>('document.body.innerText').catch((error: Error) => error.message);
  const dialog = await page
    .getByRole('dialog')
    .count()
    .catch(() => 0);
  console.error(`The test failed at ${page.url()}, with ${dialog} dialogs:\n${text.slice(0, MOST_SHOWN)}`);
}
