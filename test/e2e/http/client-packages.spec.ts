import { createHash } from 'node:crypto';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const get = (target: string, headers: Record<string, string> = {}) =>
  fetch(server.api.baseUrl + target, { headers, redirect: 'manual' });

interface Package {
  file: string;
  name: string;
  version: string;
  url: string;
  bytes: number;
  sha256: string;
}

async function list(): Promise<Package[]> {
  const answer = await get('/clients/', { accept: 'application/json' });
  return ((await answer.json()) as { packages: Package[] }).packages;
}

describe('The server of the clients that fit it', () => {
  it('has the clients for npm and pip, and each adapter, under addresses that stay', async () => {
    const packages = await list();
    expect(packages.map(({ name, url }) => `${name} ${url}`)).toEqual([
      '@waystation/client /clients/waystation-client.tgz',
      '@waystation/langgraph /clients/waystation-langgraph.tgz',
      '@waystation/openai-agents /clients/waystation-openai-agents.tgz',
      '@waystation/claude-sessions /clients/waystation-claude-sessions.tgz',
      '@waystation/ai-sdk /clients/waystation-ai-sdk.tgz',
      'waystation /clients/waystation-0.1.0-py3-none-any.whl',
      'waystation-langgraph /clients/waystation_langgraph-0.1.0-py3-none-any.whl',
    ]);
    const { version } = (await (await get('/health')).json()) as { version: string };
    expect(new Set(packages.map((one) => one.version))).toEqual(new Set([version]));
  });

  it('sends to everybody what the list promises, as the type that it is', async () => {
    for (const { url, bytes, sha256 } of await list()) {
      const answer = await get(url);
      const content = Buffer.from(await answer.arrayBuffer());
      const type = url.endsWith('.whl') ? 'application/zip' : 'application/gzip';
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256]);
    }
  });

  it('lists them as a page for people, with commands, links and hashes, and as JSON for programs', async () => {
    for (const accept of ['text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', '*/*', 'image/png']) {
      const answer = await get('/clients/', { accept });
      expect([answer.headers.get('content-type'), answer.headers.get('vary')]).toEqual([
        'text/html; charset=utf-8',
        'Accept',
      ]);
      const page = await answer.text();
      expect(page).toContain('npm i http://127.0.0.1:8000/clients/waystation-client.tgz');
      expect(page).toContain('pip install http://127.0.0.1:8000/clients/waystation-0.1.0-py3-none-any.whl');
      for (const { url, sha256 } of await list()) {
        expect(page).toContain(`href="${url}"`);
        expect(page).toContain(sha256);
      }
    }
    const json = await get('/clients/', { accept: 'application/json' });
    expect([json.headers.get('content-type'), json.headers.get('vary')]).toEqual([
      'application/json; charset=utf-8',
      'Accept',
    ]);
    const bare = await get('/clients');
    expect([bare.status, bare.headers.get('location')]).toEqual([302, '/clients/']);
  });

  it('has the cache and security headers of other static files', async () => {
    const names = ['cache-control', 'content-security-policy', 'x-content-type-options', 'x-frame-options'];
    const headersOf = async (target: string) => {
      const { headers } = await get(target);
      return names.map((name) => headers.get(name));
    };
    const guides = await headersOf('/docs/guides/');
    for (const target of ['/clients/', '/clients/clients.js', '/clients/waystation-client.tgz']) {
      expect(await headersOf(target)).toEqual(guides);
    }
    const ask = (etag: string) =>
      server.api.get('/clients/waystation-client.tgz', { token: null, headers: { 'if-none-match': etag } });
    const again = await ask((await ask('')).headers.etag!);
    expect(again.status).toBe(304);
  });

  it('has nothing else there, and nothing beside it', async () => {
    for (const target of [
      '/clients/nothing.tgz',
      '/clients/..%2fcli.js',
      '/clients/%2e%2e/cli.js',
      '/clients/a/b.whl',
    ]) {
      expect((await get(target)).status).toBeGreaterThanOrEqual(400);
    }
  });
});
