import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PAGE_TIMEOUT_MS } from '../browser.js';
import { waitFor } from '../wait.js';

export interface ConsoleOptions {
  /** Below `/console`. */
  path?: string;
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
}

export interface OpenedConsole {
  context: BrowserContext;
  page: Page;
  /** Reports of the page's policy, errors in scripts and dialogs. A test expects it to be empty. */
  faults: string[];
}

/** Opens the page in a window of its own, signed in by a code that the token makes; without a token it is just opened. */
export async function openConsole(
  browser: Browser,
  server: { url: string; token: string | null },
  { path: below = '/', width = 1440, height = 900, scheme = 'light' }: ConsoleOptions = {},
): Promise<OpenedConsole> {
  const code = server.token === null ? null : await newCode(server.url, server.token);
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    // Without a graphics card, each frame of a pulsing dot costs the processor as much as a click.
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.exposeFunction('reportViolation', (text: string) => void faults.push(`policy: ${text}`));
  // As text: it is the browser that knows these names.
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    reportViolation([event.violatedDirective, event.blockedURI, event.sample].join(' ')))`);
  await page.goto(`${server.url}/console${below}${code === null ? '' : `#code=${code}`}`);
  // A test that leads the page elsewhere at once would lose the session.
  if (code !== null) await untilTrue(page, 'sessionStorage.getItem("waystation-session") !== null');
  return { context, page, faults };
}

async function newCode(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/console/codes`, { method: 'POST', headers, body: '{}' });
  if (!answer.ok) throw new Error(`No code: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { code: string }).code;
}

/** In place of `page.waitForFunction`, whose script looks again by itself, which the policy of the page forbids. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await waitFor(expression, () => page.evaluate<boolean>(expression).catch(() => false));
}
