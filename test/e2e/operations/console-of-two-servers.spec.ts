import type { Page } from 'playwright-core';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { ServerProcess } from '../../support/server-process.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();

describeInBrowser('Two servers on one database', () => {
  const openPage = useConsole(server);

  it('appear as two in the console, until one stops', async () => {
    const page = await openPage({ path: '/system' });
    await becomes(page, 1);
    const other = await ServerProcess.start(server.storage);
    try {
      await becomes(page, 2);
    } finally {
      await other.stop();
    }
    await becomes(page, 1);
  });

  function becomes(page: Page, count: number): Promise<unknown> {
    return waitFor(`${count} servers`, async () => {
      await page.getByRole('button', { name: 'Check again' }).click();
      return (
        (await page.getByRole('region', { name: 'Servers on this database' }).getByRole('listitem').count()) === count
      );
    });
  }
});
