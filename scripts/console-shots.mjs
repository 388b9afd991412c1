// `npm run console:shots`: starts a server with example data and takes the screenshots of docs/guides/console.md. Needs Chromium.
// `npm run console:shots -- FOLDER` instead captures each view at three widths, light and dark, to compare before and after a change.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { Api } from './demo/api.mjs';
import { runCommand } from './demo/command.mjs';
import { openServer } from './demo/server.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const [FOLDER] = process.argv.slice(2);
const TARGET = FOLDER === undefined ? path.join(ROOT, 'docs', 'guides', 'console') : path.resolve(FOLDER);
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const WIDE = { width: 1440, height: 900 };
const MEDIUM = { width: 1024, height: 768 };
const NARROW = { width: 390, height: 844 };

/** Each screenshot: name, path below /console, window size, colour scheme, and a text to wait for. */
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
  for (const shot of FOLDER === undefined ? SHOTS : everyShot()) await take(shot);
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
  console.log(path.relative(ROOT, path.join(TARGET, `${name}.png`)));
}

/** Every view of SHOTS at each width in each colour scheme. */
function everyShot() {
  const views = new Map(SHOTS.map((shot) => [shot[0].replace(/-(dark|phone)$/, ''), shot]).reverse());
  return [...views].flatMap(([name, [, address, , , text]]) =>
    [WIDE, MEDIUM, NARROW].flatMap((size) =>
      ['light', 'dark'].map((scheme) => [`${name}-${size.width}-${scheme}`, address, size, scheme, text]),
    ),
  );
}

function findChromium() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = folders
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
  if (!found) throw new Error('There is no Chromium on the PATH.');
  return found;
}
