import type { RunnersApi } from './runners-api.js';
import { StepReporter } from './step-reporter.js';

it.each([
  [undefined, 'in_progress'],
  ['idle', 'idle'],
])('reports a step with the status %s as %s', async (status, reported) => {
  const events: unknown[] = [];
  const report = async (some: readonly unknown[]) => (events.push(...some), { rejected: [] });
  const reporter = new StepReporter({ report } as unknown as RunnersApi);
  const run = { thread_id: 't', trace_id: 'r', agent_id: 'a' };
  await reporter.step(run, 's', { history: [], ...(status !== undefined && { status }) });
  expect(events).toMatchObject([{ id: 's', data: { status: reported, history: [] } }]);
});
