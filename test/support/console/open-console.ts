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
  /** Policy violations, script errors and dialogs of the page. A test expects none. */
  faults: string[];
}

/** Opens the page in its own window, signed in by a code created with the token; without a token, only opens it. */
export async function openConsole(
  browser: Browser,
  server: { url: string; token: string | null },
  { path: below = '/', width = 1440, height = 900, scheme = 'light' }: ConsoleOptions = {},
): Promise<OpenedConsole> {
  const code = server.token === null ? null : await newCode(server.url, server.token);
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    // Without a graphics card, each frame of a pulsing dot costs as much CPU as a click.
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
  // As text: only the browser knows these names.
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    reportViolation([event.violatedDirective, event.blockedURI, event.sample].join(' ')))`);
  await page.goto(`${server.url}/console${below}${code === null ? '' : `#code=${code}`}`);
  // Navigating away at once would lose the session.
  if (code !== null) await untilTrue(page, 'sessionStorage.getItem("waystation-session") !== null');
  return { context, page, faults };
}

async function newCode(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/console/codes`, { method: 'POST', headers, body: '{}' });
  if (!answer.ok) throw new Error(`No code: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { code: string }).code;
}

/** Replaces `page.waitForFunction`, whose script evaluates text, which the page's policy forbids. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await waitFor(expression, () => page.evaluate<boolean>(expression).catch(() => false));
}
