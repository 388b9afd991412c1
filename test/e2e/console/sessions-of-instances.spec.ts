import { newRun, waiting } from '../../factories/waiting.js';
import { approvalOf } from '../../support/approvals.js';
import { Balancer } from '../../support/balancer.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { testDialect } from '../../support/dialect.js';
import { record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const first = useServer();

/** SQLite belongs to one process, so the one server plays both parts. */
const isShared = testDialect() === 'postgres';

describeInBrowser('In the browser, one session', () => {
  let sibling: ServerProcess | undefined;
  let balancer: Balancer;
  const open = useConsole({
    get api() {
      return { baseUrl: balancer.url, token: first.api.token };
    },
  });

  beforeAll(async () => {
    if (isShared) {
      const env = { WAYSTATION_HOME: await siblingHome(first.storage) };
      sibling = await ServerProcess.start(first.storage, { env });
    }
    balancer = await Balancer.start(first.api.baseUrl);
  });
  afterAll(async () => {
    await balancer?.stop();
    await sibling?.stop();
  });

  it('begun at one server acts at another, and ends at all of them', async () => {
    const run = newRun();
    await record(first.api, waiting(run, 1));
    const page = await open({ path: '/approvals' });
    await page.locator('.ask').waitFor();
    balancer.target = (sibling ?? first.process).api.baseUrl;
    await page.reload();
    await page.locator('.ask').waitFor();
    await page.locator('.inbox[aria-busy="false"]').waitFor();
    await page.keyboard.press('a');
    await waitFor('the decision', async () => (await approvalOf(first.api, run, 1)).status === 'approved' || undefined);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    balancer.target = first.api.baseUrl;
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
