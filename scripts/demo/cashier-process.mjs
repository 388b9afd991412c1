// An agent that refunds money, as a separate process, so that it can be killed: cashier-process.mjs THREAD BANK. It continues where an
// earlier process stopped. Exits with 3 while it is unknown whether the money moved.
import { EffectInDoubtError, WaystationClient } from '../../dist/client/waystation-client.js';

const AGENT = 'cashier';
const REFUND = { order: 4711, cents: 1999 };
const IN_DOUBT = 3;

const [threadId, bank] = process.argv.slice(2);
const client = new WaystationClient({ agentId: AGENT });
const saved = await client.latest(threadId, { agentId: AGENT });
const run = await client.start({
  thread_id: threadId,
  model: 'demo-small',
  ...(saved === null ? {} : { trace_id: saved.trace_id }),
});
const history = saved?.history ?? [
  { role: 'user', content: 'My order 4711 arrived broken. I want my money back.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'refund', arguments: JSON.stringify(REFUND) } }],
  },
];
if (saved === null) await client.checkpoint({ ...run, step_index: 0, history });

try {
  const call = { key: 'refund:order-4711', tool: 'refund', args: REFUND, callId: 'call_1' };
  const transfer = await client.effect(run, call, pay);
  const told = [
    { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify(transfer) },
    { role: 'assistant', content: `You get 19.99 back, transfer ${transfer.transfer}.` },
  ];
  await client.checkpoint({ ...run, step_index: 1, history: [...history, ...told] });
  await client.complete(run);
  await client.close();
} catch (error) {
  if (!(error instanceof EffectInDoubtError)) throw error;
  await client.close();
  process.exitCode = IN_DOUBT;
}

async function pay() {
  const answer = await fetch(`${bank}/refunds`, { method: 'POST', body: JSON.stringify(REFUND) });
  return answer.json();
}
