import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const DIST = path.resolve(import.meta.dirname, '../../../dist/console');
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

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

/** Opens the page in a window of its own, signed in with the token. */
export async function openConsole(
  browser: Browser,
  server: { url: string; token: string },
  { path: below = '/', width = 1440, height = 900, scheme = 'light' }: ConsoleOptions = {},
): Promise<OpenedConsole> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    extraHTTPHeaders: { authorization: `Bearer ${server.token}` },
  });
  await context.route('**/console/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    const name = pathname.startsWith('/console/assets/') ? pathname.slice('/console/'.length) : 'index.html';
    const body = await readFile(path.join(DIST, name));
    return route.fulfill({ body, contentType: TYPES[path.extname(name)] ?? 'text/html' });
  });
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
  await page.goto(`${server.url}/console${below}`);
  return { context, page, faults };
}
