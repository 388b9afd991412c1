import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** The headless one comes first: it needs a third of the CPU for the same engine. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** This machine under a name that the browser does not treat as local, so a page there has no secure context. */
export const PLAIN_HOST = 'plain.test';

/** Path of this machine's browser; null if it has none, which is a failure if `WAYSTATION_REQUIRE_BROWSER` is set. */
export function findBrowser(): string | null {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) =>
    existsSync(file),
  );
  if (found) return found;
  if (process.env.WAYSTATION_REQUIRE_BROWSER) throw new Error('No Chromium on the PATH, but one is required.');
  console.warn('NOT TESTED: the pages in a browser, as there is no Chromium on the PATH.');
  return null;
}

/** How long a test waits for something on a page. Generous: on two cores, five workers with a browser each share the machine. */
export const PAGE_TIMEOUT_MS = 120_000;

export function openBrowser(executablePath: string): Promise<Browser> {
  // The sandbox needs rights that containers and root lack; tests open only our own pages.
  const args = ['--no-sandbox', `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`];
  return chromium.launch({ executablePath, args });
}
