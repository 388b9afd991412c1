// An agent that pays orders, each as one effect: the soak kills it at any moment, and another one continues.
import { EffectInDoubtError, EffectRefusedError, WaystationClient } from '../../dist/client/waystation-client.js';

process.once('message', ({ apiUrl, token, bank, threadId, traceId, orders }) => {
  pay({ apiUrl, token, bank, threadId, traceId, orders }).then(
    (outcomes) => process.send({ outcomes }, () => process.exit(0)),
    (error) => process.send({ failed: error.stack }, () => process.exit(1)),
  );
});

async function pay({ apiUrl, token, bank, threadId, traceId, orders }) {
  const quiet = { onTrouble: () => undefined, onRecovered: () => undefined };
  const client = new WaystationClient({ apiUrl, token, agentId: 'payer', ...quiet });
  const run = await client.start({ thread_id: threadId, trace_id: traceId });
  process.send({ isUnderWay: true });
  const outcomes = [];
  for (const { key, kind } of orders) {
    const call = { key, tool: 'pay', args: { key }, kind, holder: `pid ${process.pid}` };
    try {
      const { transfer } = await client.effect(run, call, () => transferOf(bank, key, kind));
      outcomes.push(transfer === key ? 'paid' : `paid with ${transfer}`);
    } catch (error) {
      if (error instanceof EffectInDoubtError) outcomes.push('in doubt');
      else if (error instanceof EffectRefusedError) outcomes.push(error.code);
      else throw error;
    }
  }
  await client.complete(run);
  await client.close(60_000);
  return outcomes;
}

async function transferOf(bank, key, kind) {
  const query = new URLSearchParams({ key, ...(kind === 'idempotent' && { keyed: 'true' }) });
  const answer = await fetch(`${bank}/pay?${query}`, { method: 'POST' });
  return answer.json();
}
