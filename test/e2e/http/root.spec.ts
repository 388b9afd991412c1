import { findBrowser, openBrowser, PAGE_TIMEOUT_MS } from '../../support/browser.js';
import { problemOf } from '../../support/problem.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const browserFile = findBrowser();
const open = (accept?: string) => server.api.get('/', { token: null, headers: accept === undefined ? {} : { accept } });

describe('The printed address', () => {
  it('sends browsers to the console', async () => {
    const answer = await open('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([answer.status, answer.headers.location]).toEqual([302, '/console/']);
    expect(answer.headers.vary).toMatch(/accept/i);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([undefined, '*/*', 'application/json'])('tells programs that accept %j where to look', async (accept) => {
    const answer = await open(accept);
    const problem = problemOf(answer, 404);
    expect(problem.code).toBe('route_not_found');
    expect(problem.detail).toContain('/docs-json');
    expect(answer.headers.location).toBeUndefined();
  });

  it('has an icon', async () => {
    const answer = await server.api.get('/favicon.ico', { token: null });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/x-icon']);
    expect(answer.headers['cache-control']).toContain('max-age');
  });

  it('leads to a reference and answers that open in a browser without a failed request', async () => {
    if (browserFile === null) return;
    const browser = await openBrowser(browserFile);
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
      const failed: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() >= 400) failed.push(`${answer.status()} ${answer.url()}`);
      });
      await page.goto(`${server.api.baseUrl}/docs`);
      await page.locator('.opblock').first().waitFor();
      await page.goto(`${server.api.baseUrl}/health`);
      expect(failed).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
