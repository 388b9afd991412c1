import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { WaystationApi } from './waystation-api.js';

const DOCUMENT = path.resolve(import.meta.dirname, '../../../docs/openapi.json');
/**
 * Operations for browsers, platforms, coding agents and manual use, second addresses of others, downloads for any HTTP client, and rules,
 * which agents neither make nor read.
 */
const OTHERS = /^(Root|Sessions|Receiver|Hooks|Examples|Attachments|Rules)_|^Runners_reportInternal$/;
const RUN = { thread_id: 't', trace_id: 'r' };
const STATE = { thread_id: 't', checkpoint_id: 'c' };
const SERIALIZED = { type: 'json', data: '' };

let server: Server;
let api: WaystationApi;
const asked = new Set<string>();

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    asked.add(operationOf(request.method!, request.url!));
    const isStream = request.headers.accept === 'text/event-stream';
    response.writeHead(request.url!.includes('/import') ? 201 : 200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
    });
    if (isStream) response.write('data: {}\n\n');
    else response.end('{"items":[],"rejected":[],"digests":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = new WaystationApi({ apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

interface Operation {
  operationId: string;
}
const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ route, method: method.toUpperCase(), operationId })),
);

/** If two routes match, the one with fewer placeholders counts. */
function operationOf(method: string, url: string): string {
  const { pathname } = new URL(url, 'http://localhost');
  const fitting = operations.filter((one) => {
    return one.method === method && new RegExp(`^${one.route.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
  });
  const places = ({ route }: { route: string }) => route.split('{').length;
  return fitting.sort((a, b) => places(a) - places(b))[0]?.operationId ?? `${method} ${pathname}`;
}

async function first(items: AsyncGenerator<unknown>): Promise<void> {
  await items.next();
  await items.return(undefined);
}

it('reaches every operation of the API', async () => {
  const { threads, runs, approvals, agents, runners, effects, leases, states, channels, notices, tokens } = api;
  const approval = { trace_id: 'r', step: 1 };
  const state = { checkpoint: SERIALIZED, metadata: {} };
  const claim = { trace_id: 'r', agent_id: 'a', key: 'k', tool: 'x', args: {} };
  await Promise.all([
    ...[threads.list(), threads.get('t'), threads.delete('t'), threads.checkpoints('t'), threads.steps('t')],
    ...[threads.messages('t'), first(threads.stream('t')), first(threads.watch()), first(threads.export('t'))],
    ...[threads.import('{}'), runs.cancel(RUN), runs.retry(RUN)],
    ...[approvals.list(), approvals.get(approval), approvals.approve(approval), approvals.reject(approval)],
    approvals.answer(approval, { answers: [{ index: 0, values: { q0: 'x' } }] }),
    ...[first(approvals.stream()), agents.list(), agents.invoke('a', {} as never)],
    ...[runners.report([]), runners.latest('t'), first(runners.eachThread()), first(runners.eachRun('t'))],
    ...[runners.deleteThread('t'), effects.list('t'), first(effects.each()), effects.get('t', 'k')],
    ...[effects.claim('t', claim as never), effects.settle('t', 'k', {} as never)],
    ...[leases.claim(RUN, {} as never), leases.get(RUN), leases.release(RUN, 1)],
    ...[
      states.putStep('t', {}),
      states.put(STATE, state),
      states.putWrites(STATE, { task_id: 'x', writes: [] }),
      states.get(STATE),
    ],
    ...[states.get({ thread_id: 't' }), first(states.each()), first(states.eachOutline())],
    ...[states.deleteSome('t', []), states.delete('t'), channels.platforms(), channels.list()],
    ...[channels.create({} as never), channels.get('c'), channels.update('c', {}), channels.delete('c')],
    ...[channels.replaceConfig('c', {} as never), channels.bindAgent('c', {} as never), channels.unbindAgent('c', 'a')],
    ...[channels.renewVerificationCode('c'), channels.verify('c', '1'), channels.check('c')],
    ...[channels.setUpWebhook('c', 'https://a.example'), channels.messages('c')],
    ...[notices.list(), notices.create({} as never), notices.get('n'), notices.update('n', {}), notices.delete('n')],
    ...[notices.test('n'), notices.renewSecret('n'), notices.deliveries('n'), notices.retryDelivery('n', 'd')],
    ...[tokens.list(), tokens.create({} as never), tokens.revoke('t'), tokens.self()],
    ...[api.stats(), api.system(), api.health(), api.ready(), api.metrics()],
  ]);
  const wanted = operations.map(({ operationId }) => operationId).filter((id) => !OTHERS.test(id));
  expect([...asked].sort()).toEqual(wanted.sort());
});
