import { checkpoint, completed, newThreadId, started } from '../../factories/events.js';
import { problemOf } from '../../support/problem.js';
import { checkpointsOf, latestOf, latestPath, listOf, record, threadPath } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('Deleting a thread', () => {
  it('removes it and everything under it', async () => {
    const threadId = newThreadId();
    await record(server.api, started(threadId), checkpoint(threadId, 0), completed(threadId));
    const answer = await server.api.delete(threadPath(threadId));
    expect([answer.status, answer.text]).toEqual([204, '']);
    for (const path of [threadPath(threadId), threadPath(threadId, '/checkpoints'), latestPath(threadId)]) {
      problemOf(await server.api.get(path), 404);
    }
    expect((await listOf(server.api, { q: threadId })).items).toEqual([]);
  });

  it('is 404 for an unknown thread, and the second time', async () => {
    const threadId = newThreadId();
    problemOf(await server.api.delete(threadPath(threadId)), 404);
    await record(server.api, checkpoint(threadId, 0));
    expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    problemOf(await server.api.delete(threadPath(threadId)), 404);
  });

  it('leaves its neighbours alone, whatever their names', async () => {
    const threadId = newThreadId();
    const neighbours = [`${threadId}x`, threadId.slice(0, -1), `${threadId}%`, threadId.toUpperCase(), `${threadId}/`];
    for (const id of [threadId, ...neighbours]) await record(server.api, checkpoint(id, 0));
    await server.api.delete(threadPath(threadId));
    for (const id of neighbours) expect((await latestOf(server.api, id)).thread_id).toBe(id);
  });

  it('lets a thread of the same name begin again, without what was there', async () => {
    const threadId = newThreadId();
    const events = [started(threadId), checkpoint(threadId, 0), checkpoint(threadId, 1), completed(threadId)];
    await record(server.api, ...events);
    await server.api.delete(threadPath(threadId));
    await record(server.api, started(threadId));
    expect(await latestOf(server.api, threadId)).toMatchObject({ history: [], status: 'in_progress' });
    await record(server.api, ...events.slice(1));
    expect((await checkpointsOf(server.api, threadId)).map((row) => row.step_index)).toEqual([0, 1]);
  });

  it('wakes those who wait for it', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const headers = { 'if-none-match': String((await server.api.get(latestPath(threadId))).headers.etag) };
    const waiting = server.api.get(latestPath(threadId, { wait: '30' }), { headers });
    await server.api.delete(threadPath(threadId));
    problemOf(await waiting, 404);
  });
});
