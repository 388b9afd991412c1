import { newThreadId } from '../factories/events.js';
import { SetClock } from '../fakes/set-clock.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { claim, leased, leasePath } from '../support/leases.js';
import { problemOf } from '../support/problem.js';
import { ok } from '../support/recording.js';

/** Longer than any lease here. */
const AHEAD_MS = 3_600_000;

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp({ clock: new SetClock(Date.now() + AHEAD_MS) });
});
afterAll(() => server.stop());

describe('A server whose clock is ahead of the clock of the database', () => {
  it('says that a lease is live as long as nobody else gets it', async () => {
    const threadId = newThreadId();
    await leased(server.api, threadId, 'one', { ttl_seconds: 600 });
    expect(ok(await server.api.get(leasePath(threadId))).json()).toMatchObject({ holder: 'one', live: true });
    expect(problemOf(await claim(server.api, threadId, 'two'), 409).code).toBe('lease_held');
  });
});
