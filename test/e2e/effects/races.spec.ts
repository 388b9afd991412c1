import { newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { testDialect } from '../../support/dialect.js';
import { claim, claimed, effectOf, gist, settle, settled } from '../../support/effects.js';
import { ServerProcess } from '../../support/server-process.js';
import { siblingHome } from '../../support/storage.js';
import { useServer } from '../../support/test-server.js';

const CLAIMANTS = 64;

const first = useServer();
let sibling: ServerProcess | undefined;

/** SQLite belongs to one process, so the one server plays both parts. */
beforeAll(async () => {
  if (testDialect() !== 'postgres') return;
  const env = { WAYSTATION_HOME: await siblingHome(first.storage) };
  sibling = await ServerProcess.start(first.storage, { env });
});
afterAll(() => sibling?.stop());

const servers = (): ApiClient[] => [first.api, (sibling ?? first).api];

/** All at the same moment, through the servers in turn. @returns a summary of each response */
async function race(threadId: string, fieldsOf: (n: number) => object): Promise<string[]> {
  const claims = Array.from({ length: CLAIMANTS }, (_, n) => claim(servers()[n % 2]!, threadId, fieldsOf(n)));
  return (await Promise.all(claims)).map(gist);
}

describe(`Of ${CLAIMANTS} that claim an effect at once`, () => {
  it('exactly one makes the call, and the others hear of it', async () => {
    const threadId = newThreadId('race');
    const told = await race(threadId, (n) => ({ claim_id: `claim-${n}` }));
    expect(told.toSorted()).toEqual(['201', ...Array.from({ length: CLAIMANTS - 1 }, () => '409 effect_in_doubt')]);
    for (const api of servers()) expect(await effectOf(api, threadId)).toMatchObject({ attempt: 1, in_doubt: true });
    const [one, other] = servers();
    await settled(one!, threadId, { outcome: 'completed', result: 'paid' });
    expect(await effectOf(other!, threadId)).toMatchObject({ state: 'completed', result: 'paid', in_doubt: false });
    for (const api of servers()) expect(gist(await claim(api, threadId))).toBe('200 completed');
  });

  it('with one claim_id all get the same attempt, and so does one at a time of an idempotent effect', async () => {
    const [same, idempotent] = [newThreadId('race'), newThreadId('race')];
    expect(new Set(await race(same, () => ({ claim_id: 'one' })))).toEqual(new Set(['201']));
    expect(await effectOf(first.api, same)).toMatchObject({ attempt: 1, in_doubt: false });
    expect(new Set(await race(idempotent, () => ({ kind: 'idempotent' })))).toEqual(new Set(['201']));
    expect(await effectOf(first.api, idempotent)).toMatchObject({ attempt: CLAIMANTS });
  });

  it('while it is being settled get the outcome or a typed conflict', async () => {
    const threadId = newThreadId('race');
    await claimed(first.api, threadId, { claim_id: 'holder' });
    const [told, done] = await Promise.all([
      race(threadId, (n) => ({ claim_id: `late-${n}` })),
      settle(servers()[1]!, threadId, { outcome: 'completed', result: 'paid', claim_id: 'holder' }),
    ]);
    expect(gist(done)).toBe('200 completed');
    for (const one of told) expect(one).toMatch(/^(200 completed|409 effect_in_doubt)$/);
    expect(await effectOf(first.api, threadId)).toMatchObject({ state: 'completed', result: 'paid', attempt: 1 });
  });
});

describe("A person's not_done against the holder's late completed", () => {
  it('ends as completed, whoever comes first', async () => {
    const approver = await first.api.post('/v1/tokens', { scope: 'approver' });
    const { token } = approver.json<{ token: string }>();
    for (let round = 0; round < 8; round++) {
      const threadId = newThreadId('late');
      await claimed(first.api, threadId, { claim_id: 'holder' });
      await settled(first.api, threadId, { outcome: 'unknown' });
      const [one, other] = servers();
      const [person, holder] = await Promise.all([
        settle(one!.as(token), threadId, { outcome: 'not_done', decided_by: 'ada' }),
        settle(other!, threadId, { outcome: 'completed', result: 'paid', claim_id: 'holder' }),
      ]);
      expect(gist(person)).toMatch(/^(200 not_done|409 effect_settled)$/);
      expect(gist(holder)).toBe('200 completed');
      expect(await effectOf(one!, threadId)).toMatchObject({ state: 'completed', result: 'paid', decided_by: null });
    }
  });

  it('does not reach behind a newer attempt', async () => {
    const threadId = newThreadId('late');
    await claimed(first.api, threadId, { claim_id: 'holder' });
    await settled(first.api, threadId, { outcome: 'not_done', decided_by: 'ada' });
    await claimed(first.api, threadId, { claim_id: 'next' });
    const late = await settle(first.api, threadId, { outcome: 'completed', result: 'paid', claim_id: 'holder' });
    expect(gist(late)).toBe('409 stale_attempt');
    expect(await effectOf(first.api, threadId)).toMatchObject({ state: 'started', attempt: 2 });
  });
});

describe('kill -9 of the server', () => {
  it('between claim and settling keeps the claim', async () => {
    const threadId = newThreadId('killed');
    await claimed(first.api, threadId, { claim_id: 'holder' });
    await first.process.kill();
    await first.restart();
    expect(gist(await claim(first.api, threadId, { claim_id: 'holder' }))).toBe('201');
    expect(gist(await claim(first.api, threadId, { claim_id: 'other' }))).toBe('409 effect_in_doubt');
    expect(await settled(first.api, threadId, { outcome: 'completed' })).toMatchObject({ attempt: 1, in_doubt: false });
  });
});
