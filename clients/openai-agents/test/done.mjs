// An agent that asks before it pays: `node done.mjs THREAD [dies]`. With `dies`, it dies once its last state is stored, before it has
// reported its end.
import { Agent, setTracingDisabled, tool } from '@openai/agents-core';
import { ScriptedModel, assistantMessage, functionCall, modelResponder } from '@openai/agents-core/testing';
import { runWithApprovals } from '@waystation/openai-agents';
import { z } from 'zod';

setTracingDisabled(true);
const [threadId, dies] = process.argv.slice(2);

if (dies) {
  const { fetch } = globalThis;
  let stored = 0;
  globalThis.fetch = async (url, options) => {
    const answer = await fetch(url, options);
    if (options?.method === 'POST' && new URL(url).pathname.endsWith('/state')) stored += 1;
    if (stored === 2) process.kill(process.pid, 'SIGKILL');
    return answer;
  };
}

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: () => {
    console.log('paid');
    return 'paid';
  },
});

const turn = modelResponder(({ request: { input } }) => {
  const isPaid = input.some(({ type }) => type === 'function_call_result');
  return isPaid ? [assistantMessage('done')] : [functionCall('pay', { amount: 25 }, { callId: 'pay-1' })];
});

const agent = new Agent({ name: 'Pays', model: new ScriptedModel([turn, turn]), tools: [pay] });
const { finalOutput } = await runWithApprovals(agent, 'Pay.', { threadId });
console.log(finalOutput);
