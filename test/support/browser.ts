import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** The one without windows comes first: a page in it takes a third of the processor's time, by the same engine. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** This machine under a name that the browser does not take for it: a page there has no secure context. */
export const PLAIN_HOST = 'plain.test';

/** Where this machine has a browser; null where it has none. `WAYSTATION_REQUIRE_BROWSER` makes that a failure. */
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

/** How long a test waits for what a page shows. Only a limit: on two cores five workers, each with a browser, share the machine. */
export const PAGE_TIMEOUT_MS = 120_000;

export function openBrowser(executablePath: string): Promise<Browser> {
  // The sandbox needs rights that containers and root do not have; only pages of our own are opened.
  const args = ['--no-sandbox', `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`];
  return chromium.launch({ executablePath, args });
}
