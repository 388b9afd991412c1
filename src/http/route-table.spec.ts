import express from 'express';
import fc from 'fast-check';
import { RouteTable, type RouterLayer } from './route-table.js';

/** Texts beside parameters, in both orders; patterns that are no segments; one path with several methods; a path twice. */
const ROUTES = [
  ['get', '/docs/*file'],
  ['get', '/a'],
  ['post', '/a'],
  ['get', '/a/:id'],
  ['get', '/a/b'],
  ['get', '/c/d'],
  ['get', '/c/:id'],
  ['get', '/:x/:y/latest'],
  ['get', '/v1/:id/latest'],
  ['put', '/v1/:id{/more}'],
  ['put', '/v1/:id'],
  ['get', '/page.json'],
  ['get', '/:id-:no'],
] as const;

function layersOf(before: (app: express.Application) => void = () => undefined): readonly RouterLayer[] {
  const app = express();
  before(app);
  for (const [method, path] of ROUTES) app[method](path, () => undefined);
  return app.router.stack as unknown as readonly RouterLayer[];
}

/** As Express looks for it. */
function expected(layers: readonly RouterLayer[], method: string, path: string) {
  for (const layer of layers) {
    const { params } = (layer.match(path) || {}) as { params?: Record<string, string> };
    if (params && layer.route?.stack[0]?.method === method.toLowerCase()) return { path: layer.route.path, params };
  }
  return null;
}

describe('RouteTable', () => {
  const layers = layersOf();
  const table = new RouteTable(layers, 0);

  it('finds what Express finds, with the same parameters, or leaves the request to it', () => {
    const segment = fc.constantFrom(
      'a',
      'A',
      'b',
      'c',
      'd',
      'v1',
      'V1',
      'latest',
      'page.json',
      'pageXjson',
      'docs',
      'x-7',
      '%41',
      '%zz',
      '%',
      'Ä',
      '',
    );
    const paths = fc.tuple(
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '/', '?q=/a', '?', '#a', ' '),
    );
    fc.assert(
      fc.property(fc.constantFrom('GET', 'POST', 'PUT', 'HEAD'), paths, (method, [segments, end]) => {
        const path = `/${segments.join('/')}`;
        const found = table.find(method, path + end);
        if (found === null) return;
        const bare = path + (end === '/' ? '/' : '');
        expect({ path: found.route.path, params: { ...found.params } }).toEqual(expected(layers, method, bare));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['GET', '/a', '/a', {}],
    ['POST', '/A/?x=1', '/a', {}],
    ['GET', '/a/b', '/a/:id', { id: 'b' }],
    ['GET', '/c/d', '/c/d', {}],
    ['GET', '/c/%C3%84%2F', '/c/:id', { id: 'Ä/' }],
    ['GET', '/v1/T-9/latest', '/:x/:y/latest', { x: 'v1', y: 'T-9' }],
    ['GET', '/page.json', '/page.json', {}],
  ])('serves %s %s itself', (method, url, path, params) => {
    const found = table.find(method, url);
    expect(found && { path: found.route.path, params: { ...found.params } }).toEqual({ path, params });
  });

  it.each(['/a//b', '/c/%zz', '/a#b', '/docs/a', '/nothing', '*', '/', '/x-7'])('leaves %s to Express', (url) => {
    expect(table.find('GET', url)).toBeNull();
  });

  it('leaves to Express what a middleware comes before', () => {
    const belowA = new RouteTable(
      layersOf((app) => app.use('/a', () => undefined)),
      0,
    );
    expect(belowA.find('GET', '/a/b')).toBeNull();
    expect(belowA.find('GET', '/c/d')).not.toBeNull();
    const everywhere = layersOf((app) => app.use(() => undefined));
    expect(new RouteTable(everywhere, 0).find('GET', '/c/d')).toBeNull();
    expect(new RouteTable(everywhere, 1).find('GET', '/c/d')).not.toBeNull();
  });
});
