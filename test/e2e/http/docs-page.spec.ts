import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { findBrowser, openBrowser, PAGE_TIMEOUT_MS } from '../../support/browser.js';
import { problemOf } from '../../support/problem.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const server = useServer();
const browserFile = findBrowser();

interface Document {
  servers: { url: string }[];
  paths: Record<string, Record<string, { requestBody?: { required?: boolean } }>>;
}

async function committed(): Promise<Document> {
  return JSON.parse(await readFile(path.join(PROJECT, 'docs/openapi.json'), 'utf8')) as Document;
}

describe('The API reference', () => {
  it('is served as the committed document, for the server that it came from', async () => {
    const document = (await server.api.get('/docs-json', { token: null })).json<Document>();
    expect(document.servers.map(({ url }) => url)).toEqual(['/']);
    expect({ ...document, servers: null }).toEqual({ ...(await committed()), servers: null });
  });

  it('answers with a problem at an address that is not there', async () => {
    const answer = await server.api.get('/docs/LICENSE', { token: null });
    problemOf(answer, 404);
    // If it were set twice, this would be both values in one text.
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it('begins bodies with nothing, which creates nothing', async () => {
    const { paths } = await committed();
    const creators = Object.entries(paths).filter(([name, { post }]) => !name.includes('{') && post?.requestBody);
    expect(creators.length).toBeGreaterThan(3);
    for (const [name] of creators) {
      // A code needs no body, and expires in a minute.
      if (name === '/v1/console/codes') continue;
      const { status } = await server.api.post(name, {});
      expect({ name, isRefused: [400, 403, 415].includes(status) }).toEqual({ name, isRefused: true });
    }
  });
});

const describeInBrowser = browserFile === null ? describe.skip : describe;

describeInBrowser('The page of the API reference', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    await record(
      server.api,
      { type: 'thread_started', data: { thread_id: 'hello', trace_id: 'run-1', agent_id: 'support', model: 'm' } },
      { type: 'checkpoint', data: { thread_id: 'hello', trace_id: 'run-1', agent_id: 'support', step_index: 0 } },
    );
    browser = await openBrowser(browserFile ?? '');
    page = await browser.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${server.api.baseUrl}/docs`);
    await page.locator('button.authorize').first().click();
    await page.locator('.modal-ux input').fill(server.storage.secret);
    await page.locator('.modal-ux button.authorize').click();
    await page.locator('.modal-ux button.btn-done').click();
  });
  afterAll(() => browser?.close());
  afterEach(() => expect(complaints).toEqual([]));

  async function opened(method: string, route: string): Promise<Locator> {
    const summary = page.locator(`.opblock-summary-path[data-path="${route}"]`);
    const operation = page.locator(`.opblock-${method}`, { has: summary }).first();
    await operation.locator('.opblock-summary').click();
    await operation.locator('.try-out__btn').click();
    return operation;
  }

  /** Status and body of the response to the prefilled request. */
  async function executed(operation: Locator): Promise<{ status: string; body: string }> {
    await operation.locator('button.execute').click();
    const row = operation.locator('.live-responses-table tbody .response').first();
    await row.waitFor();
    const status = await row.locator('.response-col_status').innerText();
    return { status, body: await row.locator('.highlight-code').first().innerText() };
  }

  it('finds what the first commands of the README stored, without anything filled in', async () => {
    const list = await opened('get', '/threads');
    const { status, body } = await executed(list);
    expect(status).toMatch(/^200/);
    expect(body).toContain('"hello"');
    expect(await list.locator('.request-url').innerText()).toMatch(/\/threads$/m);
    for (const route of ['/threads/{thread_id}', '/v1/runners/threads/{thread_id}/latest']) {
      expect((await executed(await opened('get', route))).body).toContain('"hello"');
    }
  });

  it('shows a curl command that works, and no secret', async () => {
    const curl = await (await openedAndExecuted('/health/ready')).locator('.curl-command').innerText();
    expect(curl).toContain('-H "Authorization: Bearer $TOKEN"');
    expect(await page.content()).not.toContain(server.storage.secret);
  });

  async function openedAndExecuted(route: string): Promise<Locator> {
    const operation = await opened('get', route);
    await executed(operation);
    return operation;
  }

  it('fills in nothing for requests that change something', async () => {
    const report = await opened('post', '/v1/runners/events');
    expect(await report.locator('textarea').first().inputValue()).toBe('{}');
    const remove = await opened('delete', '/threads/{thread_id}');
    expect(await remove.locator('input[type=text]').first().inputValue()).toBe('');
  });

  it('has the name and links to the guides', async () => {
    expect(await page.locator('.topbar').innerText()).toBe('Waystation');
    const links = page.locator('.info a[href^="/docs/guides/"]');
    expect(await links.count()).toBeGreaterThan(3);
    for (const link of await links.all()) {
      const target = (await link.getAttribute('href')) ?? '';
      expect({ target, status: (await server.api.get(target, { token: null })).status }).toEqual({
        target,
        status: 200,
      });
    }
  });
});
