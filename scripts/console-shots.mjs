// `npm run console:shots`: fills a server of its own with the runs of a day and takes the pictures of docs/guides/console.md. Needs Chromium.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { Api } from './demo/api.mjs';
import { runCommand } from './demo/command.mjs';
import { openServer } from './demo/server.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const TARGET = path.join(ROOT, 'docs', 'guides', 'console');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

/** Each picture: its name, the address below /console, the size of the window, the colours, and what has to be there first. */
const SHOTS = [
  ['runs', '/', WIDE, 'light', 'refund-9920'],
  ['runs-dark', '/', WIDE, 'dark', 'refund-9920'],
  ['thread', '/threads/deploy-main', WIDE, 'light', 'Transcript'],
  ['thread-dark', '/threads/research-lisbon', WIDE, 'dark', 'Transcript'],
  ['approvals', '/approvals', WIDE, 'light', 'What led to it'],
  ['channels', '/channels', WIDE, 'light', 'Channels'],
  ['agents', '/agents', WIDE, 'light', 'Agents'],
  ['system', '/system', WIDE, 'light', 'The doctor says'],
  ['runs-phone', '/', NARROW, 'light', 'refund-9920'],
  ['approvals-phone', '/approvals', NARROW, 'dark', 'What led to it'],
];

const executablePath = findChromium();
mkdirSync(TARGET, { recursive: true });
const server = await openServer();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  await runCommand(server, ['demo', '--seed']);
  for (const shot of SHOTS) await take(shot);
} finally {
  await browser.close();
  await server.stop();
}

async function take([name, address, viewport, colorScheme, text]) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(await new Api(server.url, server.token).signedInLink(address, 'Kim'));
  await page.getByText(text).first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined);
  await page.screenshot({ path: path.join(TARGET, `${name}.png`) });
  await context.close();
  console.log(`docs/guides/console/${name}.png`);
}

function findChromium() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = folders
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
  if (!found) throw new Error('There is no Chromium on the PATH.');
  return found;
}
