import { chmod } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { completed, newThreadId, started } from '../../factories/events.js';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { NoticeReceiver } from '../../fakes/notice-receiver.js';
import { createChannel, telegramOrder } from '../../support/channels.js';
import { PLAIN_HOST } from '../../support/browser.js';
import { axeViolations } from '../../support/console/axe.js';
import { type ConsoleOptions } from '../../support/console/open-console.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { createNotice, noticeOf, NOTICES } from '../../support/notices.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer({ env: { WAYSTATION_ALLOWED_HOSTS: PLAIN_HOST } });

describeInBrowser('In the console', () => {
  const openPage = useConsole(server);
  let agent: FakeAgent;

  beforeAll(async () => {
    agent = await FakeAgent.start();
    agent.api = server.api;
    await agent.beat();
  });
  afterAll(() => agent?.close());

  function open(path: string, options: ConsoleOptions = {}): Promise<Page> {
    return openPage({ path, ...options });
  }

  it('an agent is started by hand, and its run opens as soon as the agent begins it', async () => {
    const { script } = agent;
    let begin!: () => void;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    agent.script = async (run) => {
      await begun;
      await script(run, agent);
    };
    const triggers = [{ id: 'triggers[0]', type: 'schedule', cron: '0 9 * * *', timezone: 'UTC', next: [soon()] }];
    const beat = { type: 'heartbeat', data: { agent_id: 'nightly', triggers } };
    await server.api.post('/v1/runners/events', { events: [beat] });
    const page = await open('/agents');
    await page.getByText('0 9 * * *').waitFor();
    await page.getByText(/next in (59:\d\d|1:00:00)/).waitFor();
    expect(await page.getByRole('button', { name: 'Start a run of nightly' }).isDisabled()).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await agent.beat();
    await page.getByRole('button', { name: 'Start a run of support' }).click();
    await page.getByLabel('Message').fill('Look after it');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL('**/console/threads/**');
    expect(agent.runs.at(-1)).toMatchObject({ message: 'Look after it' });
    await page.getByText('Waiting for the agent').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    begin();
    agent.script = script;
    await page.getByText('Look after it').first().waitFor();
  });

  it('a run that waits for its turn is listed with its agent, and is cancelled there or where it was to open', async () => {
    const queued = ['first', 'second'].map((name) => ({
      thread_id: newThreadId(`waits-${name}`),
      trace_id: `${name}-run`,
      queued_at: new Date().toISOString(),
    }));
    const [first, second] = queued as [(typeof queued)[0], (typeof queued)[0]];
    await agent.beat(agent.port, { process_id: 'process', queued_runs: queued });
    const page = await open('/agents');
    await page.getByText('2 runs wait').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: `Cancel the run that waits in ${first.thread_id}` }).click();
    await page.getByLabel('Reason').fill('No longer needed');
    await page.getByRole('button', { name: 'Cancel the run', exact: true }).click();
    await page.getByText('1 run waits').waitFor();
    expect(await detailOf(server.api, first.thread_id)).toMatchObject({
      run_list: [{ status: 'cancelled', cancel_reason: 'No longer needed' }],
    });
    await page.getByRole('link', { name: second.thread_id }).click();
    await page.getByText('Waiting for the agent').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the run', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run', exact: true }).click();
    await page.getByText('cancelled', { exact: true }).first().waitFor();
    await agent.beat(agent.port, { process_id: 'process', queued_runs: [] });
  });

  it('a page by plain http, where the browser gives it no clipboard, starts runs and copies', async () => {
    await agent.beat();
    const { code } = (await server.api.post('/v1/console/codes', {})).json<{ code: string }>();
    const page = await openPage({ path: '/' }, null);
    const { port } = new URL(server.api.baseUrl);
    await page.goto(`http://${PLAIN_HOST}:${port}/console/agents#code=${code}`);
    await page.getByRole('button', { name: 'Start a run of support' }).click();
    expect(await page.evaluate('isSecureContext')).toBe(false);
    await page.getByLabel('Message').fill('By plain http');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    // Not only the text, which is in the field, too.
    await page.waitForURL('**/console/threads/**');
    await page.getByText('By plain http').first().waitFor();
    const copied = () =>
      page.evaluate<string>(`new Promise((resolve) =>
        document.addEventListener('copy', (event) => resolve(event.target.value), { once: true }))`);
    const id = copied();
    await page.getByRole('button', { name: 'Copy the id of the thread' }).click();
    expect(await id).toBe(decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!));
    await page.getByText('Copied', { exact: true }).waitFor();
    await page.evaluate('document.execCommand = () => false');
    await page.getByRole('button', { name: 'Copy the id of the run' }).click();
    await page.getByText('The browser did not copy it').waitFor();
  });

  it('tokens are made, shown once and revoked; a session that is signed out leaves its tab', async () => {
    const page = await open('/system');
    await page.getByText('SQLite').first().waitFor();
    await page.getByText('The schema matches').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('Kim');
    await page.getByLabel('Scope').selectOption('reader');
    await page.getByRole('button', { name: 'Create the token' }).click();
    const token = await page.getByRole('dialog').locator('pre').innerText();
    const asKim = server.api.as(token);
    expect((await asKim.get('/threads')).status).toBe(200);
    const kim = await openPage({ path: '/system' }, token);
    await kim.getByText('Only an admin sees the tokens').waitFor();
    for (const [view, control] of [
      ['Agents', /^Start a run/],
      ['Channels', /^New channel/],
    ] as const) {
      await kim.getByRole('link', { name: view, exact: true }).click();
      await kim.getByRole('heading', { name: view }).waitFor();
      await kim
        .getByText(view === 'Agents' ? 'support' : 'An admin connects')
        .first()
        .waitFor();
      expect(await kim.getByRole('button', { name: control }).count()).toBe(0);
    }
    // An accidental press must not close what cannot be shown again.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.content()).not.toContain(token);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke Kim' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await waitFor('the token to end', async () => (await asKim.get('/threads')).status === 401);
    await kim.getByText('waystation open').first().waitFor();
  });

  it('a token is bound to agents whose ids have blanks', async () => {
    const page = await open('/system');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('Desk');
    await page.getByRole('dialog').getByLabel('Agents').fill('Refund Bot, support');
    await page.getByRole('button', { name: 'Create the token' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const { items } = (await server.api.get('/v1/tokens')).json<{ items: { name: string; agent_ids: string[] }[] }>();
    expect(items.find(({ name }) => name === 'Desk')?.agent_ids.sort()).toEqual(['Refund Bot', 'support']);
  });

  it('a revoked admin token takes the tokens that it created with it only if the box is checked', async () => {
    const make = async (api: typeof server.api, name: string) => {
      const { token } = (await api.post('/v1/tokens', { scope: 'admin', name })).json<{ token: string }>();
      return server.api.as(token);
    };
    const ofSparing = await make(await make(server.api, 'Sparing'), 'Spared');
    const ofTaking = await make(await make(server.api, 'Taking'), 'Taken');
    const page = await open('/system');
    const dialog = page.getByRole('dialog');
    const box = dialog.getByLabel('Also revoke the tokens that it created');

    await page.getByRole('button', { name: 'Revoke Taking' }).click();
    await box.check();
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    problemOf(await ofTaking.get('/threads'), 401);

    // The choice does not carry over to the next token.
    await page.getByRole('button', { name: 'Revoke Sparing' }).click();
    expect(await box.isChecked()).toBe(false);
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke Sparing' }).waitFor({ state: 'detached' });
    expect((await ofSparing.get('/threads')).status).toBe(200);
  });

  it('a session that is signed out is out at once, in all its tabs', async () => {
    const { token } = (await server.api.post('/v1/tokens', { scope: 'reader', name: 'Robin' })).json<{
      token: string;
    }>();
    const robin = await openPage({ path: '/' }, token);
    await robin.getByText('live', { exact: true }).waitFor();
    const tab = await robin.context().newPage();
    await tab.goto(robin.url());
    await tab.getByText('live', { exact: true }).waitFor();
    const page = await open('/system');
    await page.getByRole('button', { name: 'Sign out Robin' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await Promise.all([robin, tab].map((one) => one.getByText('waystation open').first().waitFor()));
    await page.getByRole('button', { name: 'Sign out Robin' }).waitFor({ state: 'detached' });
  });

  it('a tab whose neighbour answers late is signed in by then', async () => {
    const first = await openPage();
    await first.getByText('live', { exact: true }).waitFor();
    let letAnswer!: () => void;
    const held = new Promise<void>((resolve) => (letAnswer = resolve));
    await first.route('**/v1/console/session', async (route) => {
      await held;
      await route.continue();
    });
    const tab = await first.context().newPage();
    await tab.goto(first.url());
    await tab.getByText('waystation open').first().waitFor();
    letAnswer();
    await tab.getByText('live', { exact: true }).waitFor();
  });

  it('the doctor names what is wrong and what to do, until it is done', async () => {
    const page = await open('/system');
    const folder = server.storage.home;
    const again = async (isThere: boolean) => {
      await page.getByRole('button', { name: 'Check again' }).click();
      return (await page.getByText('Other users can look into').count()) > 0 === isThere;
    };
    await chmod(folder, 0o755);
    await waitFor('the finding', () => again(true));
    await page.getByText(`chmod 700 ${folder}`).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await chmod(folder, 0o700);
    await waitFor('the finding to go', () => again(false));
  });

  it('a notice whose receiver is gone is off, with the reason, until somebody enables it; the doctor says so, too', async () => {
    const receiver = await NoticeReceiver.start();
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const { id } = await createNotice(server.api, receiver.url);
    const threadId = newThreadId();
    await record(server.api, started(threadId), completed(threadId));
    await waitFor('it to be disabled', async () => !(await noticeOf(server.api, id)).enabled);
    const page = await open('/system');
    const row = page.getByRole('listitem').filter({ hasText: 'On-call' }).filter({ hasText: '127.0.0.1' });
    await row.getByText('off', { exact: true }).waitFor();
    await row.getByText('the receiver answered 410 Gone').waitFor();
    await page.getByText('Disabled notices: On-call (the receiver answered 410 Gone)').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    receiver.answer = (_request, response) => response.writeHead(204).end();
    const enable = row.getByRole('button', { name: 'Enable On-call' });
    await enable.click();
    await enable.waitFor({ state: 'detached' });
    expect(await noticeOf(server.api, id)).toMatchObject({ enabled: true, disabled_reason: null });
    await server.api.delete(`${NOTICES}/${id}`);
    await receiver.close();
  });

  it('everything is found by the search', async () => {
    await agent.beat();
    await server.api.post('/v1/agents/support/invoke', { message: 'x', thread_id: 'order-4711' });
    const bot = await createChannel(server.api, telegramOrder({ name: 'Front desk' }));
    await server.api.post('/v1/tokens', { scope: 'reader', name: 'Auditor' });
    const page = await open('/system');
    await page.getByRole('heading', { name: 'System' }).waitFor();
    const find = async (text: string, name: string) => {
      await page.keyboard.press('Control+k');
      await page.getByLabel('Threads, agents, channels').fill(text);
      return page.getByRole('menuitem', { name });
    };
    await (await find('4711', 'order-4711')).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/threads/order-4711');
    await page.getByRole('button', { name: 'Export' }).first().waitFor();
    // Includes actions that exist only on this page.
    await (await find('export', 'Export')).first().waitFor();
    await page.keyboard.press('Escape');
    await (await find('copy id', 'Copy the id of this thread')).waitFor();
    await page.keyboard.press('Escape');
    await (await find('dark', 'Dark colours')).click();
    expect(await page.evaluate('document.documentElement.style.colorScheme')).toBe('dark');
    await (await find('front', 'Front desk')).click();
    await page.waitForURL(`**/console/channels/${bot.id}`);
    await (await find('disable', 'Disable')).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await (await find('new slack', 'New channel: Slack')).click();
    await page.getByRole('dialog').getByText('Create an app at api.slack.com/apps.').waitFor();
    await page.keyboard.press('Escape');
    await (await find('start support', 'Start a run of support')).click();
    await page.getByLabel('Message').waitFor();
    await page.keyboard.press('Escape');
    await (await find('auditor', 'Auditor')).click();
    await page.locator('.records .found').getByText('Auditor').waitFor();
    await (await find('new token', 'New token')).first().click();
    await page.getByRole('button', { name: 'Create the token' }).waitFor();
    await page.keyboard.press('Escape');
    await (await find('notifications', 'Switch notifications on')).waitFor();
    await page.keyboard.press('Escape');
    await (await find('keys', 'Keyboard shortcuts')).click();
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.getByText('next, previous', { exact: true }).waitFor();
    await shortcuts.getByText('previous thread, next thread of the list').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await (await find('sign out', 'Sign out')).last().click();
    await page.getByText('waystation open').first().waitFor();
  });
});

function soon(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}
