import {
  EffectInDoubtError,
  EffectRefusedError,
  NoEffectError,
  ResultOmittedError,
  WaystationClient,
} from '../../../src/client/waystation-client.js';
import { newThreadId } from '../../factories/events.js';
import { claim, effectOf, effectsOf, settled } from '../../support/effects.js';
import { LosingLink } from '../../support/losing-link.js';
import { latestOf } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();
const clients: WaystationClient[] = [];
let link: LosingLink;
let calls = 0;

beforeAll(async () => {
  link = await LosingLink.to(server.api.baseUrl);
});
afterAll(() => link.close());
beforeEach(() => {
  calls = 0;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.close(0)));
});

/** One process of an agent. */
function client(): WaystationClient {
  const options = { apiUrl: link.url, token: server.api.token, agentId: 'support', onTrouble: () => undefined };
  const made = new WaystationClient(options);
  clients.push(made);
  return made;
}

const REFUND = { key: 'refund:4711', tool: 'refund', args: { order: 4711 } };

function refund(
  threadId: string,
  make: () => unknown = () => ({ transfer: 'T-1' }),
  more: object = {},
): Promise<unknown> {
  const counted = () => {
    calls += 1;
    return make();
  };
  return client().effect({ thread_id: threadId, trace_id: 'run-1' }, { ...REFUND, ...more }, counted);
}

describe('An effect of the client', () => {
  it('is made once, and what it gave comes back from then on', async () => {
    const threadId = newThreadId();
    for (let n = 0; n < 3; n++) expect(await refund(threadId)).toEqual({ transfer: 'T-1' });
    expect(calls).toBe(1);
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'completed', result: { transfer: 'T-1' } });
  });

  it('is made once although answers get lost', async () => {
    const threadId = newThreadId();
    link.losing.push('POST', 'PUT');
    const lost = link.lost;
    expect(await refund(threadId)).toEqual({ transfer: 'T-1' });
    expect(link.lost).toBe(lost + 2);
    await clients[0]!.flush();
    expect(await effectsOf(server.api, threadId)).toMatchObject([{ state: 'completed', attempt: 1 }]);
    expect(calls).toBe(1);
  });

  it('waits for the API before the call, and by its spool after it', async () => {
    const threadId = newThreadId();
    const make = () => {
      link.isCut = true;
      return 'paid';
    };
    expect(await refund(threadId, make)).toBe('paid');
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'started' });
    link.isCut = false;
    await clients[0]!.flush();
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'completed', result: 'paid' });
  });

  it('that throws is in doubt until somebody finds out', async () => {
    const threadId = newThreadId();
    const timeout = new Error('no answer from the bank');
    const failed = () => Promise.reject(timeout);
    await expect(refund(threadId, failed)).rejects.toBe(timeout);
    const doubt: unknown = await refund(threadId).catch((error: unknown) => error);
    expect(doubt).toBeInstanceOf(EffectInDoubtError);
    expect((doubt as EffectInDoubtError).effect).toMatchObject({ key: 'refund:4711', in_doubt: true, attempt: 1 });
    expect((doubt as Error).message).toContain(
      `\`waystation settle ${threadId} refund:4711 completed\`, or \`not_done\``,
    );
    expect(await effectOf(server.api, threadId)).toMatchObject({ error: { message: 'no answer from the bank' } });
    await settled(server.api, threadId, { outcome: 'not_done', decided_by: 'ada' });
    expect(await refund(threadId)).toEqual({ transfer: 'T-1' });
    expect([calls, await effectOf(server.api, threadId)]).toMatchObject([2, { attempt: 2, state: 'completed' }]);
  });

  it('that says that nothing happened can be made again, as can an idempotent one', async () => {
    const [threadId, other] = [newThreadId(), newThreadId()];
    const refused = () => Promise.reject(new NoEffectError('the account is closed'));
    await expect(refund(threadId, refused)).rejects.toThrow(NoEffectError);
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'failed' });
    expect(await refund(threadId)).toEqual({ transfer: 'T-1' });
    const idempotent = { kind: 'idempotent' };
    await expect(refund(other, () => Promise.reject(new Error('?')), idempotent)).rejects.toThrow('?');
    expect(await refund(other, () => 'paid', idempotent)).toBe('paid');
    expect(calls).toBe(4);
  });

  it('that is refused says why', async () => {
    const threadId = newThreadId();
    await refund(threadId);
    const refused: unknown = await refund(threadId, undefined, { args: {} }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EffectRefusedError);
    expect(refused).toMatchObject({ status: 422, code: 'effect_mismatch', effect: { state: 'completed' } });
    expect(calls).toBe(1);
  });

  it('keeps no result that is too long, and says so', async () => {
    const threadId = newThreadId();
    const long = 'x'.repeat(2 ** 20);
    expect(await refund(threadId, () => long)).toBe(long);
    await expect(refund(threadId)).rejects.toThrow(ResultOmittedError);
  });

  it('comes after the reports of its run', async () => {
    const threadId = newThreadId();
    const one = client();
    const run = await one.start({ thread_id: threadId });
    await one.checkpoint({ ...run, step_index: 0, history: ['pay'] });
    await one.effect(run, REFUND, async () => {
      expect((await latestOf(server.api, threadId)).history).toEqual(['pay']);
    });
    expect(await effectOf(server.api, threadId)).toMatchObject({ trace_id: run.trace_id, result: null });
  });

  it('does not wait for ever where its caller has given up', async () => {
    const threadId = newThreadId();
    link.isCut = true;
    const given = new AbortController();
    const waiting = refund(threadId, undefined, { signal: given.signal });
    given.abort(new Error('no time'));
    await expect(waiting).rejects.toThrow('no time');
    link.isCut = false;
    expect((await claim(server.api, threadId)).status).toBe(201);
    expect(calls).toBe(0);
  });
});
