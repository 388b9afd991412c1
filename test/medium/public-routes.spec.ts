import type { Express } from 'express';
import { startApp, type InProcessApp } from '../support/in-process-app.js';

/** Every route that responds without a token. A route that becomes public by accident fails this test. */
const PUBLIC = [
  'GET /',
  'GET /clients',
  'GET /console',
  'GET /console/*path',
  'GET /docs',
  'GET /docs-json',
  'GET /favicon.ico',
  'GET /health',
  'GET /v1/channels/webhook/:platform',
  'POST /v1/channels/webhook/:platform',
  'POST /v1/console/sessions',
];

/** Files that the documentation page loads. */
const DOCS_ASSET = /^GET \/docs\//;

interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

function allRoutes(): [string, string][] {
  const express: Express = server.app.getHttpAdapter().getInstance();
  const layers = (express as unknown as { router: { stack: Layer[] } }).router.stack;
  return layers.flatMap(({ route }) => {
    if (!route) return [];
    const methods = Object.keys(route.methods).filter((method) => method !== '_all');
    return [route.path]
      .flat()
      .flatMap((path) => methods.map((method): [string, string] => [method.toUpperCase(), path]));
  });
}

describe('The routes of the API', () => {
  it('are all behind the token but those of a written list', async () => {
    const open = new Set<string>();
    for (const [method, path] of allRoutes()) {
      const { status } = await server.api.send(method, path.replace(/[:*]\w+/g, 'x'), undefined, { token: null });
      const name = `${method} ${path}`;
      if (status !== 401 && method !== 'HEAD' && !DOCS_ASSET.test(name)) open.add(name);
    }
    expect([...open].sort()).toEqual(PUBLIC);
  });

  it('include every path of the specification that this server has so far', () => {
    const names = allRoutes().map(([method, path]) => `${method} ${path}`);
    expect(names).toEqual(
      expect.arrayContaining([
        'GET /threads',
        'GET /threads/:thread_id',
        'GET /threads/:thread_id/checkpoints',
        'GET /threads/:thread_id/stream',
        'DELETE /threads/:thread_id',
        'POST /internal/v1/runners/events',
        'POST /v1/runners/events',
        'GET /v1/runners/threads/:thread_id/latest',
        'GET /health',
        'GET /v1/channels',
        'POST /v1/channels',
        'GET /v1/channels/:id',
        'PATCH /v1/channels/:id',
        'DELETE /v1/channels/:id',
        'POST /v1/channels/:id/agents',
        'DELETE /v1/channels/:id/agents/:name',
        'POST /v1/channels/:id/setup-webhook',
        'POST /v1/channels/:id/verify',
        'POST /v1/channels/webhook/:platform',
      ]),
    );
  });
});
