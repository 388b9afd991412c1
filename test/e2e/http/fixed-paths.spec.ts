import { readFileSync } from 'node:fs';
import path from 'node:path';
import { problemOf } from '../../support/problem.js';
import { useSharedServer } from '../../support/shared-server.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface ApiDocument {
  paths: Record<string, Record<string, unknown>>;
}

const { paths } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'),
) as ApiDocument;
const methodsOf = (template: string) => METHODS.filter((method) => method.toLowerCase() in paths[template]!);

/** Whether a path of one is also a path of the other. */
function isBeside(fixed: string, other: string): boolean {
  const [parts, others] = [fixed.split('/'), other.split('/')];
  if (fixed === other || parts.length !== others.length) return false;
  return parts.every((part, at) => part === others[at] || others[at]!.startsWith('{'));
}

const fixed = Object.keys(paths).filter((template) => Object.keys(paths).some((other) => isBeside(template, other)));
const server = useSharedServer();

describe('A fixed path beside one with an id in its place', () => {
  it('is there', () => {
    expect(fixed.length).toBeGreaterThan(0);
  });

  it.each(fixed)('%s is no id under any other method', async (template) => {
    const target = template.replaceAll(/\{\w+\}/g, 'some-id');
    const own = methodsOf(template);
    const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
    for (const method of METHODS.filter((one) => !own.includes(one))) {
      const answer = await server.api.send(method, target, method === 'GET' ? undefined : {});
      expect([method, problemOf(answer, 405).code, answer.headers.allow]).toEqual([
        method,
        'method_not_allowed',
        allowed,
      ]);
    }
    const options = await server.api.send('OPTIONS', target);
    expect([options.status, options.headers.allow]).toEqual([204, allowed]);
  });
});
