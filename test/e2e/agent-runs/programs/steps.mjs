// Prints its checkpoints, one step per round, and resumes from the last one after a restart. The definition sets STEPS and PAUSE_MS.
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const { message, checkpoint, resumed } = JSON.parse(await text(process.stdin));
const isGoingOn = resumed && checkpoint !== null && checkpoint.history.length > 0;
let history = isGoingOn ? checkpoint.history : [{ role: 'user', content: message }];
for (let step = isGoingOn ? checkpoint.step_index + 1 : 0; step < Number(process.env.STEPS); step++) {
  history = [...history, { role: 'assistant', content: `step ${step}` }];
  const data = { step_index: step, history, run_cost_usd: (step + 1) / 100 };
  process.stdout.write(`${JSON.stringify({ type: 'checkpoint', data })}\n`);
  await pause(Number(process.env.PAUSE_MS));
}
if (process.env.ANSWER) process.stdout.write(`${process.env.ANSWER}\n`);
