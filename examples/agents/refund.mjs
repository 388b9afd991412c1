// An agent that asks a person before it pays money back. Started by `waystation agent`, which tells it its task on standard input.
// It keeps its own record over HTTP. Killed at any moment, it goes on where it was: what it waits for is in its last checkpoint.
// It pays at most once. Killed while the bank pays, it does not guess: a person finds out, settles the effect and retries the run.
import { appendFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { EffectInDoubtError, WaystationClient } from 'waystation/client';

const { message, thread_id, trace_id, agent_id, checkpoint } = JSON.parse(await text(process.stdin));
// The address and the token come from the environment. There is no token while the API is away, and then nobody could approve.
const waystation = new WaystationClient({ agentId: agent_id });

const isMine = checkpoint?.trace_id === trace_id && checkpoint.history.length > 0;
let history = checkpoint?.history ?? [];
let step = isMine ? checkpoint.step_index : -1;
const turn = {
  thread_id,
  trace_id,
  model: 'none',
  turn_start_history_len: isMine ? checkpoint.turn_start_history_len : history.length,
};

if (!isMine) await save([{ role: 'user', content: message }]);
if (history.at(-1).role === 'user') await ask([wish()]);
// The run was cancelled while it waited, and is now retried: nobody can decide on that question any more.
else if (isMine && checkpoint.approval?.status === 'superseded') await ask([]);
if (history.at(-1).tool_calls) await act(await waystation.waitForApproval({ thread_id, trace_id }));
await waystation.complete(turn);
await waystation.close();

/** Stands for the model: it wants to use a tool. */
function wish() {
  const call = { id: `call-${step + 1}`, type: 'function', function: { name: 'refund', arguments: '{"cents":1999}' } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

/** The tool needs a person: whoever decides sees the calls of the last message. */
async function ask(messages) {
  const { tool_calls } = [...history, ...messages].at(-1);
  await save(messages, { status: 'waiting_for_approval', pending_tool_calls: tool_calls });
}

/** Does what was approved, once, and says so. */
async function act({ status, approval }) {
  const [call] = history.at(-1).tool_calls;
  const isApproved = status === 'approved';
  const result = isApproved ? await payBack(call) : `refused: ${approval?.reason ?? 'no reason given'}`;
  const answer = isApproved ? 'You get 19.99 back.' : 'A colleague decided that I cannot pay this back.';
  await save([
    { role: 'tool', tool_call_id: call.id, content: result },
    { role: 'assistant', content: answer },
  ]);
}

async function payBack(call) {
  const args = JSON.parse(call.function.arguments);
  // The key says what the call does. A real agent names the order; this one knows nothing but its run.
  const refund = { key: `refund:${trace_id}`, tool: 'refund', args, callId: call.id };
  try {
    return await waystation.effect({ thread_id, trace_id }, refund, ({ key }) => payAtBank(key, args));
  } catch (error) {
    if (!(error instanceof EffectInDoubtError)) throw error;
    console.error(`Nobody knows whether ${refund.key} was paid. Ask the bank, settle the effect, then retry the run.`);
    process.exit(1);
  }
}

/** Stands for the bank, which pays, and answers late. Give a real one the key, too: then it pays once even if it is asked twice. */
async function payAtBank(key, { cents }) {
  if (process.env.EXAMPLE_BANK) await appendFile(process.env.EXAMPLE_BANK, `${JSON.stringify({ key, cents })}\n`);
  await sleep(1000 * Number(process.env.EXAMPLE_BANK_SECONDS ?? 0.2));
  return `paid back ${(cents / 100).toFixed(2)}`;
}

async function save(messages, fields = {}) {
  history = [...history, ...messages];
  step += 1;
  await waystation.checkpoint({ ...turn, step_index: step, history, ...fields });
  await waystation.flush();
}
