import { checkpoint, newThreadId } from '../../factories/events.js';
import { claimed, effectOf, gist, settle, settled } from '../../support/effects.js';
import { EVENTS, record } from '../../support/recording.js';
import { outcomesOf } from '../../support/leases.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

function settledEvent(threadId: string, fields: object) {
  return { type: 'effect_settled', data: { thread_id: threadId, key: 'refund:4711', ...fields } };
}

describe('An event effect_settled', () => {
  it('settles like a request, beside reports, as often as it comes', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    const event = settledEvent(threadId, {
      outcome: 'completed',
      result: { a: 1.5 },
      later: 'unknown members do no harm',
    });
    for (let n = 0; n < 2; n++) await record(server.api, checkpoint(threadId, n), event);
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'completed', result: { a: 1.5 }, attempt: 1 });
  });

  it('is refused alone, with the code of the request', async () => {
    const threadId = newThreadId();
    await claimed(server.api, threadId);
    const outcomes = await outcomesOf(
      server.api,
      settledEvent(threadId, { outcome: 'failed', error: { code: 1 } }),
      settledEvent(threadId, { outcome: 'completed' }),
      settledEvent(threadId, { outcome: 'completed', attempt: 2 }),
      settledEvent(threadId, { outcome: 'completed', key: 'none' }),
      settledEvent(newThreadId(), { outcome: 'completed' }),
      settledEvent(threadId, { outcome: 'done' }),
      checkpoint(threadId, 0),
    );
    expect(outcomes).toEqual([
      ...['saved', 'effect_settled', 'stale_attempt', 'effect_not_found', 'thread_not_found', 'invalid_event', 'saved'],
    ]);
    expect(await effectOf(server.api, threadId)).toMatchObject({ state: 'failed', error: { code: 1 } });
  });

  it('names what is wrong with it', async () => {
    const long = { key: undefined, outcome: 'completed', result: 'x'.repeat(1024 * 1024) };
    const answer = await server.api.post(EVENTS, { events: [settledEvent(newThreadId(), long)] });
    expect(gist(answer)).toBe('400 no_event_saved');
    expect(answer.json<{ detail: string }>().detail).toContain('events[0].data.result: must be at most 1048576 bytes');
  });
});

describe('Who settles', () => {
  it('is the holder for certain with the claim_id, and likely without', async () => {
    const threadId = newThreadId();
    const own = { outcome: 'completed', result: 'paid', claim_id: 'one' };
    await claimed(server.api, threadId, { claim_id: 'one' });
    await settled(server.api, threadId, { outcome: 'not_done', decided_by: 'ada' });
    expect(gist(await settle(server.api, threadId, { ...own, claim_id: 'two' }))).toBe('409 effect_settled');
    expect(await settled(server.api, threadId, own)).toMatchObject({ state: 'completed', result: 'paid' });
    await claimed(server.api, threadId, { key: 'other', claim_id: 'one' });
    await settled(server.api, threadId, { outcome: 'failed' }, 'other');
    const nameless = { ...own, claim_id: undefined };
    expect(gist(await settle(server.api, threadId, nameless, 'other'))).toBe('409 effect_settled');
    expect(await settled(server.api, threadId, own, 'other')).toMatchObject({ state: 'completed', result: 'paid' });
  });
});
