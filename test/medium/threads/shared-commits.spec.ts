import { checkpoint, newThreadId } from '../../factories/events.js';
import { inOneGroup } from '../../support/held-writer.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { claim, fenced, outcomesOf, release, type Lease } from '../../support/leases.js';

let server: InProcessApp;

beforeAll(async () => {
  server = await startApp();
});
afterAll(() => server.stop());

describe('Requests that share a commit', () => {
  it('one of many first claims gets the lease', async () => {
    const threadId = newThreadId();
    const claims = Array.from({ length: 10 }, (_, n) => () => claim(server.api, threadId, `process ${n}`));
    const answers = await inOneGroup(server, ...claims);
    expect(answers.map(({ status }) => status)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    const { fence } = answers[0]!.json<Lease>();
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 0), fence))).toEqual(['saved']);
  });

  it('a report without a fence is refused behind the first claim', async () => {
    const threadId = newThreadId();
    const [claimed, reported] = await inOneGroup<unknown>(
      server,
      () => claim(server.api, threadId, 'holder').then((answer) => answer.json<Lease>().fence),
      () => outcomesOf(server.api, checkpoint(threadId, 0)),
    );
    expect(reported).toEqual(['stale_fence']);
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 0), claimed as number))).toEqual(['saved']);
  });

  it('the lease of a run that a report begins is given back behind it', async () => {
    const threadId = newThreadId();
    const answer = await claim(server.api, threadId, 'holder');
    const { fence } = answer.json<Lease>();
    await inOneGroup<unknown>(
      server,
      () => outcomesOf(server.api, fenced(checkpoint(threadId, 0), fence)),
      () => release(server.api, threadId, fence),
      () => claim(server.api, threadId, 'next'),
    );
    expect(await outcomesOf(server.api, fenced(checkpoint(threadId, 1), fence))).toEqual(['stale_fence']);
  });
});
