import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WaystationApi, WaystationClient } from '../../../src/client/waystation-client.js';
import { newThreadId } from '../../factories/events.js';
import { Balancer } from '../../support/balancer.js';
import { effectOf } from '../../support/effects.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
let balancer: Balancer;
/** What load balancers answer while no server is registered. */
let nobody: Server;
let nobodyUrl: string;
const clients: WaystationClient[] = [];

beforeAll(async () => {
  nobody = createServer((_, answer) =>
    answer.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found'),
  );
  nobody.listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  nobodyUrl = `http://127.0.0.1:${(nobody.address() as AddressInfo).port}`;
  balancer = await Balancer.start(server.api.baseUrl);
});
beforeEach(() => {
  balancer.target = server.api.baseUrl;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.close(0)));
});
afterAll(async () => {
  await balancer?.stop();
  nobody?.close();
});

/** The server returns once the client has noticed. */
function client(): WaystationClient {
  const onTrouble = () => void (balancer.target = server.api.baseUrl);
  const made = new WaystationClient({ apiUrl: balancer.url, token: server.api.token, agentId: 'support', onTrouble });
  clients.push(made);
  return made;
}

describe('A client behind a load balancer that answers 404 while the server restarts', () => {
  it('goes on from the history of its run', async () => {
    const [threadId, before] = [newThreadId(), client()];
    const run = await before.start({ thread_id: threadId });
    await before.checkpoint({ ...run, history: [{ role: 'user', content: 'Hello' }] });
    expect([await before.close(), await before.close()]).toEqual([true, true]);
    balancer.target = nobodyUrl;
    const seen = await client().run(threadId, ({ history, traceId }) => ({ history, traceId }));
    expect(seen).toEqual({ history: [{ role: 'user', content: 'Hello' }], traceId: run.trace_id });
    balancer.target = nobodyUrl;
    const { runners } = new WaystationApi({ apiUrl: balancer.url, token: server.api.token });
    await expect(runners.latest(threadId)).rejects.toMatchObject({ code: 'unexpected_answer' });
  });

  it('settles its effects later, and gets the lease of its run', async () => {
    const [threadId, one] = [newThreadId(), client()];
    const run = await one.start({ thread_id: threadId });
    await one.flush();
    const refund = () => {
      balancer.target = nobodyUrl;
      return { transfer: 'T-1' };
    };
    expect(await one.effect(run, { key: 'refund:4711', tool: 'refund' }, refund)).toEqual({ transfer: 'T-1' });
    expect(await one.flush()).toBe(true);
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'completed', result: { transfer: 'T-1' } });
    balancer.target = nobodyUrl;
    const lease = await one.lease(run);
    expect(lease.fence).toBeGreaterThan(0);
    await lease.release();
  });
});
