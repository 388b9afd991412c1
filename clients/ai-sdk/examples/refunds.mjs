// An agent that asks before it pays: `node refunds.mjs THREAD`. Kill it while it waits, start it again, and it continues. A scripted model
// makes the calls, so no key is needed; with your own model the program stays the same.
import { WaystationClient } from '@waystation/client';
import { answerApprovals } from '@waystation/ai-sdk';
import { generateText, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';

const [threadId = 'refunds'] = process.argv.slice(2);

const refund = tool({
  description: 'Pays an order back.',
  inputSchema: z.object({ order: z.number(), amount: z.number() }),
  needsApproval: true,
  execute: ({ order, amount }) => {
    console.log(`paid ${amount} back for order ${order}`);
    return 'done';
  },
});

/** Refunds two orders, then reports the results. */
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const results = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    const text = results.map(({ output }) => output.value ?? output.reason ?? 'denied').join(', ');
    const calls = [4711, 4712].map((order) => ({
      ...{ type: 'tool-call', toolCallId: `refund-${order}`, toolName: 'refund' },
      input: JSON.stringify({ order, amount: 25 }),
    }));
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    if (results.length > 0)
      return { content: [{ type: 'text', text }], finishReason: { unified: 'stop' }, usage, warnings: [] };
    return { content: calls, finishReason: { unified: 'tool-calls' }, usage, warnings: [] };
  },
});

const client = new WaystationClient();
const said = await client.run(threadId, async (run) => {
  const messages = run.history;
  if (messages.length === 0) messages.push({ role: 'user', content: 'Refund the orders 4711 and 4712.' });
  for (;;) {
    const answer = await answerApprovals(run, messages);
    if (answer) messages.push(answer);
    const { response, text, finishReason } = await generateText({ model, tools: { refund }, messages });
    messages.push(...response.messages);
    if (finishReason === 'tool-calls') continue;
    await run.step(messages);
    return text;
  }
});
console.log(said);
await client.close();
