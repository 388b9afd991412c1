import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, openBrowser, PAGE_TIMEOUT_MS } from '../../support/browser.js';
import { problemOf } from '../../support/problem.js';
import { useSharedServer } from '../../support/shared-server.js';

const ROOT = '/docs/guides/';
const GUIDES = path.resolve(import.meta.dirname, '../../../docs/guides');
const server = useSharedServer();
const browserFile = findBrowser();
const names = (await readdir(GUIDES)).filter((name) => name.endsWith('.md')).map((name) => name.replace('.md', ''));

/** A page's links on this server, and its link targets. */
function partsOf(html: string): { links: string[]; ids: Set<string> } {
  const values = (attributes: string) => [...html.matchAll(new RegExp(` (?:${attributes})="([^"]*)"`, 'g'))];
  const links = values('href|src').map(([, link = '']) => link.replaceAll('&amp;', '&'));
  return { links: links.filter((link) => !/^[a-z]+:/.test(link)), ids: new Set(values('id').map(([, id = '']) => id)) };
}

/** Follows every link from the first guide on, and lists broken ones. */
async function visitAll(): Promise<{ visited: Map<string, Set<string>>; faults: string[] }> {
  const visited = new Map<string, Set<string>>();
  const faults: string[] = [];
  const anchors: [from: string, address: string, id: string][] = [];
  const waiting = [ROOT];
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    if (visited.has(address)) continue;
    const { status, headers, text } = await server.api.get(address, { token: null, headers: { accept: 'text/html' } });
    const isPage = address.startsWith(ROOT) && (headers['content-type'] ?? '').startsWith('text/html');
    const { links, ids } = isPage ? partsOf(text) : { links: [], ids: new Set<string>() };
    visited.set(address, ids);
    if (status >= 400) faults.push(`${address} is answered with ${status}`);
    for (const link of links) {
      const target = new URL(link, `http://guides.test${address}`);
      waiting.push(target.pathname);
      if (target.hash !== '') anchors.push([address, target.pathname, decodeURIComponent(target.hash.slice(1))]);
    }
  }
  const missing = anchors.filter(([, address, id]) => !visited.get(address)?.has(id));
  return { visited, faults: [...faults, ...missing.map(([from, address, id]) => `${from} links to ${address}#${id}`)] };
}

describe('The guides', () => {
  it('are all reached from the first page, without a token, and every link of every page leads somewhere', async () => {
    const { visited, faults } = await visitAll();
    expect(faults).toEqual([]);
    const expected = [...names.map((name) => ROOT + name), '/docs', '/console/'];
    expect(expected.filter((address) => !visited.has(address))).toEqual([]);
  });

  it('carry the headers of a page that runs nothing of others', async () => {
    const { headers } = await server.api.get(`${ROOT}channels`, { token: null });
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    const again = await server.api.get(`${ROOT}channels`, { token: null, headers: { 'if-none-match': headers.etag! } });
    expect(again.status).toBe(304);
  });

  it('are there as text too', async () => {
    const guide = await server.api.get(`${ROOT}channels.md`, { token: null });
    expect([guide.status, guide.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(guide.text).toBe(await readFile(path.join(GUIDES, 'channels.md'), 'utf8'));
  });

  it('are found without the slash at the end', async () => {
    const answer = await server.api.get('/docs/guides', { token: null });
    expect([answer.status, answer.headers.location]).toEqual([302, ROOT]);
  });

  it.each(['none', 'none.md', 'adr', 'images', '..%2fopenapi.json', '..%2f..%2fpackage.json'])(
    'answer with a problem at %s, and with nothing else of the program',
    async (name) => {
      const answer = await server.api.get(ROOT + name, { token: null });
      problemOf(answer, 404);
      // If it were set twice, this would be both values in one text.
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    },
  );
});

const describeInBrowser = browserFile === null ? describe.skip : describe;

describeInBrowser('A guide in a browser', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser(browserFile ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
  });
  afterAll(() => browser?.close());

  it.each([390, 768, 1024, 1440])('never scrolls sideways at %d pixels; tables and code do', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    const wide: string[] = [];
    for (const name of ['', ...names]) {
      await page.goto(server.api.baseUrl + ROOT + name);
      if (await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')) wide.push(name);
    }
    expect({ wide, complaints }).toEqual({ wide: [], complaints: [] });
  });

  it('follows the device, or the choice in the console', async () => {
    const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${server.api.baseUrl}${ROOT}channels`);
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.evaluate(`localStorage.setItem('waystation-theme', 'light')`);
    await page.reload();
    expect(await background()).toBe(light);
  });
});
