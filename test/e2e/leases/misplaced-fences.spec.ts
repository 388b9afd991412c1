import { checkpoint, newThreadId } from '../../factories/events.js';
import { fenced, leased } from '../../support/leases.js';
import { problemOf } from '../../support/problem.js';
import { EVENTS } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('A fence in the data', () => {
  it('counts for nothing, and is said to belong beside the type', async () => {
    const [threadId, free] = [newThreadId(), newThreadId()];
    const fence = await leased(server.api, threadId, 'one');
    const place = { index: 0, detail: expect.stringMatching(/^data\.fence: .*beside type/) };
    const stored = await server.api.post(EVENTS, { events: [checkpoint(free, 0, { fence })] });
    expect(stored.json()).toEqual({ saved: 1, rejected: [], warnings: [place] });
    const twice = await server.api.post(EVENTS, { events: [fenced(checkpoint(threadId, 0, { fence }), fence)] });
    expect(twice.json()).toEqual({ saved: 1, rejected: [] });
    const refused = await server.api.post(EVENTS, { events: [checkpoint(threadId, 1, { fence })] });
    expect(problemOf(refused, 400)).toMatchObject({
      errors: [{ path: 'events[0].fence', detail: expect.stringContaining('beside type') }],
    });
  });
});
