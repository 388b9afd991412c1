import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { newRun, waiting } from '../../factories/waiting.js';
import { approvalOf, approvalPath } from '../../support/approvals.js';
import { writeRedirectFile } from '../../../src/cli/redirect-file.js';
import { findBrowser, openBrowser } from '../../support/browser.js';
import { axeViolations } from '../../support/console/axe.js';
import { openConsole, type OpenedConsole } from '../../support/console/open-console.js';
import { newCode } from '../../support/console-visitor.js';
import { record } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const server = useServer();
const browserFile = findBrowser();
const describeInBrowser = browserFile === null ? describe.skip : describe;

describeInBrowser('In the page of the console', () => {
  let browser: Browser;
  let opened: OpenedConsole[] = [];

  beforeAll(async () => {
    browser = await openBrowser(browserFile ?? '');
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const { context, faults } of opened) {
      expect(faults).toEqual([]);
      await context.close();
    }
    opened = [];
  });

  async function open(token: string | null = server.storage.secret, path = '/'): Promise<OpenedConsole> {
    const one = await openConsole(browser, { url: server.api.baseUrl, token }, { path });
    opened.push(one);
    return one;
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const signedIn = (page: Page) => page.getByRole('navigation', { name: 'Views' }).waitFor();
  const go = (page: Page, rest: string) => page.goto(`${server.api.baseUrl}/console/${rest}`);
  /** Status and code of a request by a script in the page. */
  const ask = (page: Page, path: string, init: object = {}) =>
    page.evaluate<[number, string]>(
      `fetch(${JSON.stringify(path)}, ${JSON.stringify(init)}).then(async (answer) => [answer.status, (await answer.json()).code ?? ''])`,
    );
  const cookieOf = async (context: BrowserContext) => {
    const [cookie] = await context.cookies();
    return cookie!;
  };

  it('a code signs in, leaves the address at once, and holds over a reload', async () => {
    const { page, context } = await open(server.storage.secret, '/approvals?status=pending');
    await signedIn(page);
    expect(page.url()).toBe(`${server.api.baseUrl}/console/approvals?status=pending`);
    expect(await cookieOf(context)).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/', expires: -1 });
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await signedIn(page);
    await page.goBack().catch(() => undefined);
    expect(page.url()).not.toContain('code');
  });

  it('a reload while the server answers loses nothing, and keeps nothing of the code', async () => {
    const { page } = await open(null);
    await heading(page, 'Sign in');
    let isAnswered = false;
    // The server has used up the code, but the page never learns it.
    await page.route('**/v1/console/sessions', async (route) => {
      await route.fetch();
      isAnswered = true;
    });
    await go(page, `#code=${await newCode(server.api)}`);
    await waitFor('the lost answer', () => isAnswered);
    expect(page.url()).toBe(`${server.api.baseUrl}/console/`);
    await page.unroute('**/v1/console/sessions');
    await page.reload();
    await signedIn(page);
    expect(await page.evaluate('sessionStorage.getItem("waystation-signing-in")')).toBeNull();
  });

  it('the cookie without the key opens nothing', async () => {
    const { page } = await open();
    await signedIn(page);
    expect(await ask(page, '/threads')).toEqual([401, 'session_key_required']);
    expect(await ask(page, '/approvals/none/1/approve', { method: 'POST' })).toEqual([401, 'session_key_required']);
    const stolen = await (await page.context().newPage()).goto(`${server.api.baseUrl}/threads`);
    expect(stolen?.status()).toBe(403);
  });

  it('a new tab gets in by its sibling, and signing out ends all of them', async () => {
    const { page, context } = await open();
    await signedIn(page);
    const second = await context.newPage();
    await go(second, 'approvals');
    await signedIn(second);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'You are signed out');
    await heading(second, 'Your session has ended');
    expect(await context.cookies()).toEqual([]);
    await go(page, `#code=${await newCode(server.api)}`);
    await signedIn(page);
    await signedIn(second);
  });

  it('a tab gives its key away only while the server confirms its session', async () => {
    const { page, context } = await open();
    await signedIn(page);
    await page.route('**/v1/console/session', (route) => route.abort());
    const second = await context.newPage();
    await go(second, '');
    await heading(second, 'Sign in');
    await page.unroute('**/v1/console/session');
    await second.reload();
    await signedIn(second);
  });

  it('says what to do when the last tab was closed, and without any session', async () => {
    const { page, context } = await open();
    await signedIn(page);
    await page.close();
    const fresh = await context.newPage();
    await go(fresh, '');
    await heading(fresh, 'Sign in');
    expect(await fresh.locator('.command pre').innerText()).toBe('npx waystation open');
    expect(await axeViolations(fresh)).toEqual([]);
    for (const width of [390, 1440]) {
      await fresh.setViewportSize({ width, height: 844 });
      expect(await fresh.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });

  it('a code that was used, or is wrong, says so, and ends no session that stands', async () => {
    const code = await newCode(server.api);
    const { page } = await open(null);
    await heading(page, 'Sign in');
    await go(page, `#code=${code}`);
    await signedIn(page);
    await go(page, `#code=${code}`);
    await signedIn(page);
    const { page: other } = await open(null, `/#code=${code}`);
    await heading(other, 'This link no longer works');
    expect(await axeViolations(other)).toEqual([]);
    await go(other, `#code=${await newCode(server.api)}`);
    await signedIn(other);
  });

  it('the redirect of waystation open signs in, from a file', async () => {
    const link = `${server.api.baseUrl}/console/#code=${await newCode(server.api)}`;
    const { page } = await open(null);
    await page.goto(writeRedirectFile(server.storage.home, link, 60_000));
    await signedIn(page);
    expect(page.url()).toBe(`${server.api.baseUrl}/console/`);
  });

  it('a server that does not answer is waited for, and so is one behind a proxy that sends a token', async () => {
    const { page, context } = await open(null);
    await heading(page, 'Sign in');
    await context.route('**/v1/console/session', (route) => route.abort());
    await page.reload();
    await heading(page, 'Waystation does not answer');
    await context.unroute('**/v1/console/session');
    await heading(page, 'Sign in');
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${server.storage.secret}` });
    await page.reload();
    await signedIn(page);
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
  });

  it('a session that an admin ends shows it in the open tab', async () => {
    const { token } = (await server.api.post('/v1/tokens', { scope: 'reader', name: 'Kim' })).json<{ token: string }>();
    const { page } = await open(token);
    await signedIn(page);
    await page.getByText('Kim').waitFor();
    const { items } = (await server.api.get('/v1/console/sessions?limit=1')).json<{ items: { id: string }[] }>();
    await server.api.delete(`/v1/console/sessions/${items[0]!.id}`);
    await page.getByRole('link', { name: 'Approvals' }).click();
    await heading(page, 'Your session has ended');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  describe('another page of this machine, on another port,', () => {
    let other: Server;
    let url: string;
    let stolen = '';
    beforeAll(async () => {
      other = createServer((request, response) => {
        stolen = request.headers.cookie ?? stolen;
        response.setHeader('Content-Type', 'text/html');
        response.end('<!doctype html><title>other</title>');
      }).listen(0, '127.0.0.1');
      await once(other, 'listening');
      url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    });
    afterAll(() => other.close());

    it('reads nothing, does nothing and learns no key, although it has the cookie', async () => {
      const run = newRun();
      await record(server.api, waiting(run, 1));
      const { page, context } = await open();
      await signedIn(page);
      const evil = await context.newPage();
      await evil.goto(url);
      const { baseUrl } = server.api;
      const approve = `${baseUrl}${approvalPath(run.traceId, 1, '/approve')}`;
      const tried = await evil.evaluate<string[]>(`Promise.all([
        fetch('${baseUrl}/threads', { credentials: 'include' }),
        fetch('${baseUrl}/threads', { credentials: 'include', headers: { 'X-Waystation-Console': 'x' } }),
        fetch('${approve}', { method: 'POST', credentials: 'include', body: '{}', headers: { 'Content-Type': 'application/json' } }),
        fetch('${approve}', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{}' }),
        fetch('${baseUrl}/v1/console/sessions', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{"code":"x"}' }),
      ].map((sent) => sent.then((answer) => answer.type, () => 'refused')))`);
      expect(tried).toEqual(tried.map(() => 'refused'));
      // The browser itself sent the cookie: cookies ignore ports.
      expect(stolen).toContain((await cookieOf(context)).value);
      expect((await server.api.get('/threads', { token: null, headers: { cookie: stolen } })).status).toBe(401);
      const heard = await evil.evaluate<string>(`new Promise((resolve) => {
        const channel = new BroadcastChannel('waystation-session');
        channel.onmessage = ({ data }) => resolve(JSON.stringify(data));
        channel.postMessage({ type: 'ask', id: 'evil' });
        setTimeout(() => resolve('nothing'), 500);
      })`);
      expect([heard, await evil.evaluate('sessionStorage.length')]).toEqual(['nothing', 0]);
      expect((await approvalOf(server.api, run, 1)).status).toBe('pending');
      const framed = await evil.evaluate<string>(`new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.onload = () => { try { resolve(frame.contentDocument ? 'read' : 'blocked'); } catch { resolve('blocked'); } };
        frame.src = '${baseUrl}/console/';
        document.body.append(frame);
      })`);
      expect(framed).toBe('blocked');
    });
  });
});
