import { WaystationApi } from '../../../src/client/api/waystation-api.js';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { freePort } from '../../support/free-port.js';
import { useServer } from '../../support/test-server.js';

const port = await freePort();
const server = useServer({ env: { WAYSTATION_PORT: String(port) } });
let api: WaystationApi;

beforeAll(() => {
  api = new WaystationApi({ apiUrl: `http://127.0.0.1:${port}`, token: server.api.token });
});

function report(threadId: string, step: number) {
  return api.runners.report([checkpoint(threadId, step)]);
}

describe('A stream of the client', () => {
  it('goes on where it stopped when the server is back, and ends with its thread', async () => {
    const threadId = newThreadId();
    await report(threadId, 0);
    const steps: number[] = [];
    for await (const { event, data } of api.threads.stream(threadId)) {
      if (event !== 'checkpoint') continue;
      const { step_index: step } = data as { step_index: number };
      steps.push(step);
      if (step === 1) await server.restart();
      if (step < 3) await report(threadId, step + 1);
      else await api.threads.delete(threadId);
    }
    expect(steps).toEqual([0, 1, 2, 3]);
  });

  it('tells of changes of a run to its agent', async () => {
    const threadId = newThreadId();
    await report(threadId, 0);
    const steps: number[] = [];
    for await (const { step_index: step } of api.runners.watch(threadId, { trace_id: 'run-1' })) {
      steps.push(step);
      if (step === 2) break;
      await report(threadId, step + 1);
    }
    expect(steps).toEqual([0, 1, 2]);
  });
});
