import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { listOf, record } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

interface Operation {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string }[];
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
}

const DOCUMENT = path.resolve(import.meta.dirname, '../../../docs/openapi.json');
const { paths, tags } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
const OPERATIONS = Object.entries(paths).flatMap(([template, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
);
/** Platforms may add any parameters. */
const isReceiver = (template: string) => template.includes('/webhook/');

const server = useSharedServer();

function call(method: string, template: string, query: string) {
  const address = `${template.replaceAll(/\{\w+\}/g, 'x')}?${query}`;
  return server.api.send(method, address, ['GET', 'DELETE'].includes(method) ? undefined : {});
}

describe('A query parameter that a route does not know', () => {
  const strict = OPERATIONS.filter(({ template }) => !isReceiver(template));

  it.each(strict.map(({ method, template }) => [method, template]))('is named by %s %s', async (method, template) => {
    for (const name of ['no_such_parameter', '__proto__', 'toString', 'a[b]', '']) {
      const problem = problemOf(await call(method, template, `${encodeURIComponent(name)}=1`), 400);
      expect(problem).toMatchObject({ code: 'unknown_parameter', errors: [{ path: name }] });
    }
  });

  it('is no fault where platforms choose the address', async () => {
    expect((await call('GET', '/v1/channels/webhook/telegram', 'no_such_parameter=1')).status).not.toBe(400);
  });

  it('is answered with the one that was probably meant, each time it has a slip', async () => {
    for (const { method, template, operation } of strict) {
      for (const { name } of operation.parameters?.filter((parameter) => parameter.in === 'query') ?? []) {
        if (name.length < 4) continue;
        const slip = name.slice(0, 2) + name.slice(3);
        const problem = problemOf(await call(method, template, `${slip}=1`), 400);
        expect(problem.errors).toEqual([{ path: slip, detail: expect.stringContaining(`did you mean ${name}?`) }]);
      }
    }
  });

  it('is refused only after the token was found good', async () => {
    problemOf(await server.api.get('/threads?no_such_parameter=1', { token: 'wrong' }), 401);
  });
});

it('search is another name of q', async () => {
  const threadId = newThreadId('searched');
  await record(server.api, checkpoint(threadId, 0));
  expect(await listOf(server.api, { search: threadId })).toEqual(await listOf(server.api, { q: threadId }));
  expect((await listOf(server.api, { search: threadId })).items).toHaveLength(1);
  const problem = problemOf(await server.api.get('/threads?q=a&search=b'), 400);
  expect(problem.errors).toEqual([expect.objectContaining({ path: 'search' })]);
});

describe('The description of the API', () => {
  it('has a name for each operation that is fit for programs, and describes every tag', () => {
    const names = OPERATIONS.map(({ operation }) => operation.operationId);
    expect(names.filter((name) => !/^\w+$/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['Runners_report', 'Runners_reportInternal']));
    const used = new Set(OPERATIONS.flatMap(({ operation }) => operation.tags));
    expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...used]));
  });
});
