import { readFileSync } from 'node:fs';
import path from 'node:path';
import { problemOf } from '../../support/problem.js';
import { useSharedServer } from '../../support/shared-server.js';

interface Operation {
  parameters?: { name: string; in: string }[];
}

const DOCUMENT = path.resolve(import.meta.dirname, '../../../docs/openapi.json');
const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as { paths: Record<string, Record<string, Operation>> };

/** Every variable place in every address: method, path, and where U+0000 is inserted. */
const PLACES = Object.entries(paths).flatMap(([template, operations]) =>
  Object.entries(operations).flatMap(([method, { parameters = [] }]) =>
    parameters
      .filter((parameter) => parameter.in !== 'header')
      .map((parameter): [string, string, string] => [method.toUpperCase(), template, parameter.name]),
  ),
);

const server = useSharedServer();

describe('U+0000', () => {
  it.each(PLACES)('in %s %s as %s is refused, and never an internal error', async (method, template, name) => {
    const isInPath = template.includes(`{${name}}`);
    for (const value of ['%00', 'a%00b', '%00%00']) {
      const filled = template.replace(`{${name}}`, value).replaceAll(/\{\w+\}/g, '1');
      const address = isInPath ? filled : `${filled}?${name}=${value}`;
      const answer = await server.api.send(method, address, ['GET', 'DELETE'].includes(method) ? undefined : {});
      const isHandled = template.includes('/webhook/') ? [400, 401, 403, 404] : [400, 404, 415];
      expect([address, isHandled.includes(answer.status), answer.status]).toEqual([address, true, answer.status]);
      const problem = problemOf(answer, answer.status);
      if (!isInPath && answer.status === 400) expect(problem.errors?.map((fault) => fault.path)).toContain(name);
    }
  });
});
