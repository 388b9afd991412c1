// Reports over HTTP; without a token, which is absent if the API was away at its start, it prints its events instead.
import { WaystationClient } from '../../../../dist/client/waystation-client.js';
import { setTimeout as pause } from 'node:timers/promises';

const { WAYSTATION_API_URL: apiUrl, WAYSTATION_TOKEN: token, WAYSTATION_AGENT_ID: agentId } = process.env;
if (token === undefined) await import('./steps.mjs');
else await reportOverHttp(new WaystationClient({ apiUrl, token, agentId }));

async function reportOverHttp(client) {
  const ids = { thread_id: process.env.WAYSTATION_THREAD_ID, trace_id: process.env.WAYSTATION_TRACE_ID };
  const saved = await client.latest(ids.thread_id, { traceId: ids.trace_id });
  const isGoingOn = saved !== null && saved.history.length > 0;
  let history = isGoingOn ? saved.history : [{ role: 'user', content: process.env.WAYSTATION_MESSAGE }];
  for (let step = isGoingOn ? saved.step_index + 1 : 0; step < Number(process.env.STEPS); step++) {
    history = [...history, { role: 'assistant', content: `step ${step}` }];
    await client.checkpoint({ ...ids, step_index: step, history, run_cost_usd: (step + 1) / 100 });
    while (!(await client.flush()));
    console.log(`step ${step} is saved`);
    await pause(Number(process.env.PAUSE_MS));
  }
  await client.complete(ids);
  while (!(await client.flush()));
  await client.close();
}
