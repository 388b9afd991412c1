import { ConsoleVisitor, exchange, newCode } from '../../support/console-visitor.js';
import { problemOf } from '../../support/problem.js';
import { useServer } from '../../support/test-server.js';

const ORIGIN = 'https://waystation.example:8443';
const server = useServer({ env: { WAYSTATION_PUBLIC_URL: ORIGIN } });
/** As passed on by a proxy that ends TLS. */
const headers = { host: 'waystation.example:8443', origin: ORIGIN };

describe('A server with a public https address', () => {
  it('gives its page a cookie that only https carries, and that no other name and no subdomain can set', async () => {
    const answer = await exchange(server.api, await newCode(server.api), headers);
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-waystation_[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  });

  it('takes requests of the whole origin, and of the address that the page itself was asked at', async () => {
    const visitor = await ConsoleVisitor.signIn(server.api);
    for (const origin of [ORIGIN, 'http://waystation.example:8443']) {
      expect((await visitor.get('/threads', { ...headers, origin })).status).toBe(200);
    }
    for (const origin of [
      'https://waystation.example',
      'https://waystation.example:8444',
      'https://127.0.0.1:8443',
      'https://waystation.example:8443.evil.example',
    ]) {
      problemOf(await visitor.get('/threads', { ...headers, origin }), 403);
    }
  });

  it('believes nothing that proxies say of other addresses', async () => {
    const visitor = await ConsoleVisitor.signIn(server.api);
    const forged = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    problemOf(await visitor.get('/threads', { ...forged, origin: 'https://evil.example' }), 403);
    problemOf(await visitor.get('/threads', { ...forged, host: 'evil.example' }), 403);
  });
});
