import { newRun, type RunIds } from '../factories/waiting.js';
import { cancel } from '../support/cancel.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { MovableClock } from '../support/movable-clock.js';
import { EVENTS } from '../support/recording.js';
import { waitFor } from '../support/wait.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_OF_AGENT = 1_000;

describe('Runs that wait in processes, with unlimited retention', () => {
  const clock = new MovableClock();
  let server: InProcessApp;

  beforeAll(async () => {
    const env = { WAYSTATION_RETENTION_DAYS: '0', WAYSTATION_RETENTION_INTERVAL_SECONDS: '1' };
    server = await startApp({ env, clock });
  });
  afterAll(() => server.stop());

  const beat = async (agent_id: string, process_id: string, runs: readonly RunIds[]) => {
    const queued_at = '2026-11-20T09:30:00.250Z';
    const queued_runs = runs.map(({ threadId, traceId }) => ({ thread_id: threadId, trace_id: traceId, queued_at }));
    const answer = await server.api.post(EVENTS, {
      events: [{ type: 'heartbeat', data: { agent_id, process_id, queued_runs } }],
    });
    expect(answer.status).toBe(200);
    return answer.json<{ control?: object[] }>().control;
  };
  const queueOf = async (agentId: string) => {
    const { items } = (await server.api.get('/v1/agents')).json<{
      items: { agent_id: string; queued_runs: { trace_id: string }[] }[];
    }>();
    return items.find(({ agent_id }) => agent_id === agentId)!.queued_runs.map(({ trace_id }) => trace_id);
  };

  it('are forgotten a week after they were first named, so that a process which comes back before hears what was cancelled', async () => {
    const [old, young, cancelled] = [newRun(), newRun(), newRun()];
    await beat('weekly', 'gone', [old]);
    clock.aheadMs += 2 * DAY_MS;
    await beat('weekly', 'away', [young, cancelled]);
    expect((await cancel(server.api, cancelled.threadId, cancelled.traceId)).status).toBe(200);
    clock.aheadMs += 6 * DAY_MS;
    await waitFor('the old one to go', async () => !(await queueOf('weekly')).includes(old.traceId));
    expect(await queueOf('weekly')).toEqual([young.traceId]);
    expect(await beat('weekly', 'away', [young, cancelled])).toMatchObject([{ trace_id: cancelled.traceId }]);
  });

  it('are remembered for a week after somebody cancelled them, however long they had waited before', async () => {
    const [waiting, other] = [newRun(), newRun()];
    await beat('patient', 'away', [waiting]);
    await beat('patient', 'gone', [other]);
    clock.aheadMs += 6 * DAY_MS;
    expect((await cancel(server.api, waiting.threadId, waiting.traceId)).status).toBe(200);
    clock.aheadMs += 2 * DAY_MS;
    await waitFor('the other one to go', async () => !(await queueOf('patient')).includes(other.traceId));
    expect(await beat('patient', 'away', [waiting])).toMatchObject([{ trace_id: waiting.traceId }]);
  });

  it('are at most a thousand of an agent; what nobody has named for an hour gives way', async () => {
    const many = Array.from({ length: MAX_OF_AGENT }, () => newRun());
    const [late, own] = [newRun(), newRun()];
    await beat('busy', 'one', many);
    await beat('busy', 'two', [late]);
    expect(await queueOf('busy')).not.toContain(late.traceId);
    await beat('other', 'two', [own]);
    expect(await queueOf('other')).toEqual([own.traceId]);
    clock.aheadMs += 2 * HOUR_MS;
    await beat('busy', 'two', [late]);
    const queue = await queueOf('busy');
    expect(queue).toContain(late.traceId);
    expect(queue).toHaveLength(MAX_OF_AGENT);
  });
});
