// An agent that asks before it pays: `node refunds.mjs THREAD`. Kill it while it waits, start it again, and it continues. A scripted model
// makes the calls, so no key is needed; with your own model the program stays the same.
import { Agent, setTracingDisabled, tool } from '@openai/agents-core';
import { ScriptedModel, assistantMessage, functionCall, modelResponder } from '@openai/agents-core/testing';
import { runWithApprovals } from '@waystation/openai-agents';
import { z } from 'zod';

setTracingDisabled(true);
const [threadId = 'refunds'] = process.argv.slice(2);

const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.number(), amount: z.number() }),
  needsApproval: true,
  execute: ({ order, amount }) => {
    console.log(`paid ${amount} back for order ${order}`);
    return 'done';
  },
});

/** Refunds two orders, then reports the results. */
const turn = modelResponder(({ request: { input } }) => {
  const results = input.filter(({ type }) => type === 'function_call_result');
  if (results.length > 0) return [assistantMessage(results.map(({ output }) => output.text ?? output).join(', '))];
  return [4711, 4712].map((order) => functionCall('refund', { order, amount: 25 }, { callId: `refund-${order}` }));
});

const agent = new Agent({ name: 'Refunds', model: new ScriptedModel([turn, turn]), tools: [refund] });
const { finalOutput } = await runWithApprovals(agent, 'Refund the orders 4711 and 4712.', { threadId });
console.log(finalOutput);
