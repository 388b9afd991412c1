import type { Page } from 'playwright-core';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { SlackFake } from '../../fakes/platforms/slack-fake.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import { axeViolations } from '../../support/console/axe.js';
import { describeInBrowser, useConsole } from '../../support/console/use-console.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const telegram = await TelegramFake.start();
const whatsapp = await WhatsappFake.start();
const slack = await SlackFake.start();
const server = useServer({
  env: {
    WAYSTATION_TELEGRAM_API_URL: telegram.url,
    WAYSTATION_WHATSAPP_API_URL: whatsapp.url,
    WAYSTATION_SLACK_API_URL: slack.url,
  },
});
afterAll(() => Promise.all([telegram, whatsapp, slack].map((fake) => fake.close())));

/** Each is set up in the page alone, with the usual mistakes. */
describeInBrowser('A channel that is set up in the console', () => {
  const openPage = useConsole(server);
  let agent: FakeAgent;

  beforeAll(async () => {
    agent = await FakeAgent.start();
    agent.api = server.api;
  });
  beforeEach(() => agent.beat());
  afterAll(() => agent?.close());

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const shows = (page: Page, text: string) => page.getByText(text).first().waitFor();
  const hides = (page: Page, text: string) => page.getByText(text).waitFor({ state: 'detached' });
  const dialogOf = (page: Page) => page.getByRole('dialog');

  /** Here, platforms reach this server on loopback. */
  async function setUp(page: Page): Promise<void> {
    await page.getByLabel('Public address of this server').fill(server.api.baseUrl);
    await page.getByRole('button', { name: /^Set up/ }).click();
  }

  async function replaceConfig(page: Page, fields: Record<string, string>): Promise<void> {
    await press(page, 'Replace config');
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
    await dialogOf(page).getByRole('button', { name: 'Replace', exact: true }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
  }

  async function bind(page: Page): Promise<void> {
    await press(page, 'support');
    await press(page, 'Bind the agent');
    await shows(page, 'Bind another agent');
  }

  async function remove(page: Page): Promise<void> {
    await press(page, 'Remove');
    await dialogOf(page).getByRole('button', { name: 'Remove' }).click();
    await page.waitForURL('**/console/channels');
  }

  const codeOf = (page: Page) => page.locator('.setup-code output').innerText();

  it('for Telegram talks, after a wrong token and a refused webhook', async () => {
    const page = await openPage({ path: '/channels' });
    await shows(page, 'No channel yet');
    await press(page, 'New channel: Telegram');
    await page.getByLabel('Bot token').fill('no token');
    await press(page, 'Create channel');
    await shows(page, 'It has to be the token as the platform issued it');
    const [botId] = telegram.token.split(':');
    await page.getByLabel('Bot token').fill(`${botId}:wrong`);
    await page.getByLabel('Transport').selectOption('polling');
    await page.getByLabel('Messages go to').selectOption('command');
    expect(await axeViolations(page)).toEqual([]);
    await press(page, 'Create channel');
    const code = await codeOf(page);
    await page.getByLabel('Command').waitFor();
    expect(code).toMatch(/^\d{6}$/);
    // No response shows it again, so losing the server must not hide it.
    await page.context().setOffline(true);
    await shows(page, 'Waystation does not answer');
    await page.context().setOffline(false);
    await hides(page, 'Waystation does not answer');
    expect(await codeOf(page)).toBe(code);
    // Both requests fail: checking the bot, and polling for messages.
    await waitFor('both refusals', async () => (await page.getByText('Unauthorized', { exact: true }).count()) === 2);
    expect(await page.getByText('Copy it again from @BotFather').count()).toBe(2);
    expect(await page.getByText('Waystation does not answer').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await press(page, 'Replace config');
    await page.getByLabel('Transport').selectOption('webhook');
    await page.getByLabel('Bot token').fill(telegram.token);
    await dialogOf(page).getByRole('button', { name: 'Replace', exact: true }).click();
    await shows(page, 'Found: WaystationBot');
    telegram.failNext('setWebhook', 'break');
    await setUp(page);
    await shows(page, 'Telegram cannot be reached');
    telegram.failNext('setWebhook', TelegramFake.error(400, 'Bad Request: bad webhook: HTTPS url must be provided'));
    await setUp(page);
    await shows(page, 'Telegram refused');
    await shows(page, 'HTTPS url must be provided');
    await shows(page, 'Telegram delivers only to https addresses');
    await press(page, 'Set up the webhook');
    await shows(page, 'Telegram has registered it');
    await bind(page);
    await press(page, 'Settings');
    await page.getByLabel('Messages go to').selectOption('single');
    await dialogOf(page).getByRole('button', { name: 'Save' }).click();
    await dialogOf(page).waitFor({ state: 'detached' });
    await shows(page, 'the default agent');
    const renewed = await renewedCode(page);
    telegram.write(7, renewed);
    await shows(page, 'Verified. People can write to it.');
    telegram.write(7, 'Where is my\u202e parcel?');
    await shows(page, 'U+202E');
    await waitFor('an answer', () => telegram.messages.some(({ text }) => text.includes('You said: Where is my')));
    await page.getByText('ready', { exact: true }).waitFor();
    telegram.blocked.add('7');
    telegram.write(7, 'And now?');
    await shows(page, 'bot was blocked by the user');
    await shows(page, 'The person has blocked the bot.');
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.content()).not.toContain(telegram.token);
  });

  it('for WhatsApp talks, after an expired token, a wrong app secret and a wrong verify token', async () => {
    const { phoneNumberId, accessToken, appSecret } = whatsapp.number;
    const right = {
      ...{ 'Phone number id': phoneNumberId, 'Access token': accessToken },
      ...{ 'App secret': appSecret, 'Verify token': 'choose-one' },
    };
    const page = await openPage({ path: '/channels?create=whatsapp', width: 390, height: 844 });
    for (const [label, text] of Object.entries({ ...right, 'Access token': 'expired', 'App secret': 'another' })) {
      await page.getByLabel(label).fill(text);
    }
    await press(page, 'Create channel');
    await shows(page, '190: Invalid OAuth access token');
    await shows(page, 'The access token is wrong or has expired');
    await page.getByLabel('Public address of this server').fill('http://example.com');
    await press(page, 'Set up the webhook');
    await page.getByRole('alert').getByText('base_url', { exact: true }).waitFor();
    await setUp(page);
    await shows(page, 'Now enter this at WhatsApp');
    whatsapp.receiverUrl = `${server.api.baseUrl}/v1/channels/webhook/whatsapp`;
    await shows(page, whatsapp.receiverUrl);
    await replaceConfig(page, { ...right, 'App secret': 'another' });
    await shows(page, 'Found: Waystation');
    const asked = (token: string) =>
      fetch(`${whatsapp.receiverUrl}?hub.mode=subscribe&hub.challenge=115&hub.verify_token=${token}`);
    expect((await asked('wrong')).status).toBe(403);
    await shows(page, 'Enter the verify token of this config');
    expect(await axeViolations(page)).toEqual([]);
    expect((await asked('choose-one')).status).toBe(200);
    await hides(page, 'Enter the verify token of this config');
    // So slowly that it does not count as an attack.
    whatsapp.retryMs = 1_000;
    const unproven = whatsapp.deliver(whatsapp.batch([whatsapp.textFrom('4911', 'Who is there?')]));
    await shows(page, 'Copy the app secret again');
    await replaceConfig(page, right);
    await unproven;
    await hides(page, 'Copy the app secret again');
    await renewedCode(page);
    await press(page, 'verify it here');
    await shows(page, 'Verified. People can write to it.');
    await bind(page);
    await whatsapp.deliver(whatsapp.batch([whatsapp.textFrom('4911', 'Is it late?')]));
    await waitFor('an answer', () => whatsapp.messages.some(({ text }) => text === 'You said: Is it late?'));
    // The typing indicator is refused too.
    const unregistered = WhatsappFake.error(400, 133010, 'Phone number not registered');
    for (let call = 0; call < 3; call++) whatsapp.failNext('/messages$', unregistered);
    await whatsapp.deliver(whatsapp.batch([whatsapp.textFrom('4922', 'Hello?')]));
    await shows(page, '133010: Phone number not registered');
    await shows(page, 'The number is not registered for the Cloud API.');
    await remove(page);
  });

  it('for Slack talks, after a revoked token and a wrong signing secret', async () => {
    const { botToken, signingSecret } = slack.app;
    slack.receiverUrl = `${server.api.baseUrl}/v1/channels/webhook/slack`;
    const page = await openPage({ path: '/channels?create=slack' });
    await shows(page, 'Create an app at api.slack.com/apps.');
    await page.getByLabel('Bot token').fill('xoxb-revoked');
    await page.getByLabel('Signing secret').fill('another');
    await press(page, 'Create channel');
    await shows(page, 'invalid_auth');
    await shows(page, 'Copy the bot user OAuth token');
    await replaceConfig(page, { 'Bot token': botToken, 'Signing secret': 'another' });
    await shows(page, 'Found: waystation');
    await setUp(page);
    await shows(page, `Event Subscriptions, Request URL: ${slack.receiverUrl}`);
    const challenge = JSON.stringify({ type: 'url_verification', token: 'x', challenge: '3eZbrw1a' });
    expect((await slack.deliver(challenge)).status).toBe(401);
    await shows(page, 'Copy the signing secret again');
    expect(await axeViolations(page)).toEqual([]);
    await replaceConfig(page, { 'Bot token': botToken, 'Signing secret': signingSecret });
    await hides(page, 'Copy the signing secret again');
    expect((await slack.deliver(challenge)).status).toBe(200);
    await bind(page);
    const code = await renewedCode(page);
    await slack.deliver(slack.callback(slack.message('U0KIM', code)));
    await shows(page, 'Verified. People can write to it.');
    slack.failNext('chat.postMessage', {
      status: 429,
      body: { ok: false, error: 'ratelimited' },
      headers: { 'retry-after': '3' },
    });
    await slack.deliver(slack.callback(slack.message('U0KIM', 'Where is it?')));
    await shows(page, 'Slack limits how fast an app may go on.');
    await waitFor('an answer', () => slack.messages.some(({ text }) => text === 'You said: Where is it?'));
    await hides(page, 'Slack limits how fast an app may go on.');
    slack.failNext('chat.postMessage', { status: 200, body: { ok: false, error: 'missing_scope' } });
    await slack.deliver(slack.callback(slack.message('U0KIM', 'And now?')));
    await shows(page, 'missing_scope');
    await shows(page, 'and install the app again.');
    expect(await page.content()).not.toContain(botToken);
    await remove(page);
  });

  /** Replacing the config makes the old code invalid, or possibly so. */
  async function renewedCode(page: Page): Promise<string> {
    await press(page, 'New code');
    return codeOf(page);
  }
});
