import {
  EffectRefusedError,
  LeaseHeldError,
  WaystationClient,
  type LeasedRun,
  type RejectedReport,
  type WaystationClientOptions,
} from '../../../src/client/waystation-client.js';
import { newThreadId } from '../../factories/events.js';
import { latestOf } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';
import { waitFor } from '../../support/wait.js';

const server = useSharedServer();
const clients: WaystationClient[] = [];
const rejected: RejectedReport[] = [];
const lost: LeasedRun[] = [];

beforeEach(() => void (rejected.length = lost.length = 0));
afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.close(0)));
});

/** One process of an agent. */
function client(options: WaystationClientOptions = {}): WaystationClient {
  const { baseUrl: apiUrl, token } = server.api;
  const onRejected = (report: RejectedReport) => void rejected.push(report);
  const onLeaseLost = (run: LeasedRun) => void lost.push(run);
  const made = new WaystationClient({ apiUrl, token, agentId: 'support', onRejected, onLeaseLost, ...options });
  clients.push(made);
  return made;
}

const newRun = () => ({ thread_id: newThreadId(), trace_id: 'run-1' });
const leasePath = ({ thread_id, trace_id }: LeasedRun) => `/v1/runners/threads/${thread_id}/runs/${trace_id}/lease`;
const said = async ({ thread_id, trace_id }: LeasedRun) =>
  (await latestOf(server.api, thread_id, { trace_id })).history as unknown;

async function refusalOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: Error) => error,
  );
}

describe('The lease of a client', () => {
  it('puts its fence into what the client reports of the run and those below it; what others report is refused', async () => {
    const [one, two] = [client(), client()];
    const run = newRun();
    await one.start(run);
    const lease = await one.lease(run);
    await one.checkpoint({ ...run, history: ['first'] });
    const sub = { thread_id: run.thread_id, trace_id: 'sub' };
    await one.start({ ...sub, parent_trace_id: run.trace_id });
    await one.checkpoint({ ...sub, history: ['below'] });
    await one.append(run, ['second']);
    await one.flush();
    expect(rejected).toEqual([]);
    await two.checkpoint({ ...run, step_index: 0, history: ['of another'] });
    await two.checkpoint({ ...sub, step_index: 0, history: ['of another'] });
    await two.flush();
    expect(rejected.map(({ code }) => code)).toEqual(['stale_fence', 'stale_fence']);
    expect([await said(run), await said(sub)]).toEqual([['first', 'second'], ['below']]);
    expect(lease.lost.aborted).toBe(false);
  });

  it('keeps others from leasing the run until it is released', async () => {
    const [one, two] = [client(), client()];
    const run = newRun();
    const lease = await one.lease(run, { holder: 'the first' });
    const error = (await refusalOf(two.lease(run))) as LeaseHeldError;
    expect(error).toBeInstanceOf(LeaseHeldError);
    expect(error).toMatchObject({ holder: 'the first', expiresAt: expect.any(Date) });
    await one.checkpoint({ ...run, history: ['first'] });
    await lease.release();
    await two.checkpoint({ ...run, step_index: 1, history: ['first', 'unfenced'] });
    const next = await two.lease(run);
    expect(next.fence).toBeGreaterThan(lease.fence);
    clients.splice(clients.indexOf(two), 1);
    await two.close();
    expect((await one.lease(run)).fence).toBeGreaterThan(next.fence);
    expect([rejected, await said(run)]).toEqual([[], ['first', 'unfenced']]);
  });

  it('is renewed, and handed over with its fence', async () => {
    const [one, two] = [client(), client()];
    const run = newRun();
    const { fence, lost: lostOfOne } = await one.lease(run, { ttlSeconds: 5 });
    const expiry = async () => (await server.api.get(leasePath(run))).json().expires_at;
    const first = await expiry();
    await waitFor('the renewal', async () => (await expiry()) !== first);
    await two.lease(run, { fence });
    await waitFor('the first to know', () => lost.length === 1);
    expect([lostOfOne.aborted, lost]).toEqual([true, [run]]);
  });

  it('is known to be lost as soon as a report is refused', async () => {
    const one = client();
    const run = newRun();
    const lease = await one.lease(run);
    expect((await server.api.post(leasePath(run), { holder: 'a person', force: true })).status).toBe(201);
    await one.checkpoint({ ...run, history: ['late'] });
    await waitFor('it to know', () => lease.lost.aborted);
    expect([lost, rejected.map(({ code }) => code)]).toEqual([[run], ['stale_fence']]);
    // It has nothing left to release.
    await lease.release();
    expect((await server.api.get(leasePath(run))).json()).toMatchObject({ holder: 'a person', live: true });
  });

  it('lets only its holder claim effects', async () => {
    const [one, two] = [client(), client()];
    const run = newRun();
    await one.lease(run);
    const call = { key: 'refund:1', tool: 'refund' };
    const refusal = (await refusalOf(two.effect(run, call, () => 'twice'))) as EffectRefusedError;
    expect(refusal).toBeInstanceOf(EffectRefusedError);
    expect(refusal.code).toBe('stale_fence');
    expect(await one.effect(run, call, () => 'once')).toBe('once');
  });

  it('under an agent process is the lease of that: the program neither takes it over nor gives it back', async () => {
    const run = newRun();
    const granted = (await server.api.post(leasePath(run), { holder: 'the process', agent_id: 'support' })).json();
    const order = { scope: 'runner', agent_ids: ['support'], run: { ...run, fence: granted.fence } };
    const { token } = (await server.api.post('/v1/tokens', order)).json();
    const program = client({ token: String(token) });
    const lease = await program.lease(run);
    expect(lease.fence).toBe(granted.fence);
    await program.checkpoint({ ...run, history: ['of the program'] });
    await lease.release();
    await program.checkpoint({ ...run, step_index: 1, history: ['of the program', 'more'] });
    await program.flush();
    expect([rejected, await said(run)]).toEqual([[], ['of the program', 'more']]);
    const seen = (await server.api.get(`${leasePath(run)}?agent_id=support`)).json();
    expect(seen).toMatchObject({ holder: 'the process', live: true });
    await server.api.post(leasePath(run), { holder: 'another', agent_id: 'support', force: true });
    expect(await refusalOf(program.lease(run))).toMatchObject({ status: 409 });
  });

  it('waits for an API that is away, as long as its caller does', async () => {
    const one = client({ apiUrl: 'http://127.0.0.1:6', onTrouble: () => undefined });
    const signal = AbortSignal.timeout(300);
    expect((await refusalOf(one.lease(newRun(), { signal }))).name).toBe('TimeoutError');
  });
});
