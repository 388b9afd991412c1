import { findBrowser, openBrowser } from '../../support/browser.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const browserFile = findBrowser();

describe('The API reference', () => {
  it('is served as the committed document, for the server that it came from', async () => {
    const document = (await server.api.get('/docs-json', { token: null })).json<{ servers: { url: string }[] }>();
    expect(document.servers.map(({ url }) => url)).toEqual(['/']);
  });

  it('lets a person sign in and call the API from the page', async () => {
    if (browserFile === null) return;
    const browser = await openBrowser(browserFile);
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${server.api.baseUrl}/docs`);
      await page.locator('button.authorize').first().click();
      await page.locator('.modal-ux input').fill(server.storage.secret);
      await page.locator('.modal-ux button.authorize').click();
      await page.locator('.modal-ux button.btn-done').click();
      const operation = page.locator('.opblock', { hasText: '/health/ready' }).first();
      await operation.locator('.opblock-summary').click();
      await operation.locator('.try-out__btn').click();
      await operation.locator('button.execute').click();
      const status = operation.locator('.live-responses-table tbody .response-col_status').first();
      await status.waitFor();
      expect(await status.innerText()).toMatch(/^200/);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
