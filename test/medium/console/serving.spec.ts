import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const INDEX = '<!doctype html><title>Waystation</title>';
const SCRIPT = `/* ${'x'.repeat(2000)} */ export {};`;

let folder: string;
let server: InProcessApp;

async function put(name: string, text: string, isCompressed = true): Promise<void> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  if (!isCompressed) return;
  await writeFile(`${file}.br`, brotliCompressSync(text));
  await writeFile(`${file}.gz`, gzipSync(text));
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waystation-console-'));
  await put('index.html', INDEX);
  await put('assets/app-1a2B3c4D.js', SCRIPT);
  await put('assets/main-1a2B3c4D.css', 'body{}', false);
  await writeFile(path.join(folder, '..', `${path.basename(folder)}.js`), 'outside');
  server = await startApp({ consoleFolder: folder });
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true });
  await rm(`${folder}.js`);
});

const get = (target: string, headers: Record<string, string> = {}) => server.api.get(target, { token: null, headers });

describe('The page of the console', () => {
  it.each([
    '/console/',
    '/console/?status=running&q=a',
    '/console/threads/parcel-4711',
    '/console/threads/a%2Fb.js',
    '/console/approvals/',
    '/console/v1/tokens',
    '/console/index.html',
    '/console/%2e%2e/x',
  ])('is what browsers get at %s', async (target) => {
    const answer = await get(target);
    expect([answer.status, answer.text]).toEqual([200, INDEX]);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
  });

  it('is found from the address of the server, and without the slash at its end', async () => {
    const root = await get('/', { accept: 'text/html,*/*;q=0.8' });
    expect([root.status, root.headers.location]).toEqual([302, '/console/']);
    const bare = await get('/console?x=1');
    expect([bare.status, bare.headers.location]).toEqual([302, '/console/']);
    problemOf(await get('/', { accept: '*/*' }), 404);
  });

  it('runs its own files only', async () => {
    for (const target of ['/console/', '/console/assets/app-1a2B3c4D.js', '/console/assets/none.js']) {
      const { headers } = await get(target);
      expect(headers['content-security-policy']).toBe(POLICY);
      expect(headers).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
    }
  });

  it('is asked for again each time, and sent again only when it has changed', async () => {
    const { etag = '' } = (await get('/console/')).headers;
    const again = await get('/console/threads/x', { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await get('/console/', { 'if-none-match': etag, 'accept-encoding': 'br' })).status).toBe(200);
    await put('index.html', `${INDEX}<p>`);
    expect((await get('/console/', { 'if-none-match': etag })).text).toBe(`${INDEX}<p>`);
    await put('index.html', INDEX);
  });

  it('says how people start the program here, in the clone that the tests run in', async () => {
    const page = `<!doctype html><html data-command="waystation">`;
    await put('index.html', page);
    const headers = { 'accept-encoding': 'br' };
    const answer = await get('/console/', headers);
    expect(answer.text).toBe(page.replace('"waystation"', '"npx waystation"'));
    const { etag = '' } = answer.headers;
    expect((await get('/console/', { ...headers, 'if-none-match': etag })).status).toBe(304);
    await put('index.html', INDEX);
  });

  it('has assets that are kept for ever, compressed as the browser can read them', async () => {
    const target = '/console/assets/app-1a2B3c4D.js';
    const [br, gzip, plain] = [
      await get(target, { 'accept-encoding': 'gzip, deflate, br' }),
      await get(target, { 'accept-encoding': 'gzip' }),
      await get(target),
    ];
    expect([br, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
    expect(brotliDecompressSync(br.bytes).toString()).toBe(SCRIPT);
    expect(gunzipSync(gzip.bytes).toString()).toBe(SCRIPT);
    expect(plain.text).toBe(SCRIPT);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect((await get('/console/assets/main-1a2B3c4D.css', { 'accept-encoding': 'br' })).text).toBe('body{}');
    const head = await server.api.send('HEAD', target, undefined, { token: null });
    expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([200, 0, `${SCRIPT.length}`]);
  });

  it.each([
    'none-1a2B3c4D.js',
    '',
    'app-1a2B3c4D.js.br',
    'app-1a2B3c4D.js/x.js',
    '.hidden.js',
    '../index.html',
    '..%2findex.html',
    '%2e%2e/index.html',
    '..%2f..%2fpackage.json',
    'app-1a2B3c4D.js%00.css',
  ])('has no asset %j', async (name) => {
    const answer = await get(`/console/assets/${name}`);
    expect(problemOf(answer, 404).code).toBe('asset_not_found');
    expect(answer.headers['cache-control']).toBeUndefined();
  });

  it('gives nothing from outside its folder', async () => {
    for (const target of [`../${path.basename(folder)}.js`, `..%2f${path.basename(folder)}.js`]) {
      for (const below of ['/console/', '/console/assets/', '/console/assets/../']) {
        expect((await get(below + target)).text).not.toContain('outside');
      }
    }
  });

  it('hides nothing of the API, and takes nothing but GET', async () => {
    problemOf(await get('/v1/console/session'), 401);
    problemOf(await get('/v1/console/nothing'), 404);
    problemOf(await get('/consoles'), 404);
    problemOf(await get('/threads'), 401);
    const posted = await server.api.post('/console/threads', {}, { token: null });
    expect(problemOf(posted, 405)).toMatchObject({ code: 'method_not_allowed', allow: ['GET', 'HEAD'] });
    problemOf(await get('/console/', { host: 'evil.example' }), 403);
  });

  it('is missing with a plain word where nobody built it', async () => {
    const bare = await startApp({ consoleFolder: path.join(folder, 'none') });
    try {
      const answer = await bare.api.get('/console/', { token: null });
      expect(problemOf(answer, 404)).toMatchObject({ code: 'console_not_built' });
      expect((await bare.api.get('/threads')).status).toBe(200);
    } finally {
      await bare.stop();
    }
  });
});
