// An agent that asks a person before it refunds money. `waystation agent` starts it and sends the task on standard input.
// It reports over HTTP. Killed at any moment, it resumes from its last checkpoint, which also says what it waits for.
// It pays at most once. If it is killed while the bank pays, a person checks, settles the effect and retries the run.
import { appendFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { EffectInDoubtError, WaystationClient } from 'waystation/client';

const { message, thread_id, trace_id, agent_id, checkpoint } = JSON.parse(await text(process.stdin));
// The address and the token come from the environment. Without the API there is no token, and nobody could approve.
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
// The run was cancelled while it waited and is now retried: the old approval can no longer be decided.
else if (isMine && checkpoint.approval?.status === 'superseded') await ask([]);
if (history.at(-1).tool_calls) await act(await waystation.waitForApproval({ thread_id, trace_id }));
await waystation.complete(turn);
await waystation.close();

/** Stands in for the model, which wants to use a tool. */
function wish() {
  const call = { id: `call-${step + 1}`, type: 'function', function: { name: 'refund', arguments: '{"cents":1999}' } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

/** The tool needs approval; the person sees the calls of the last message. */
async function ask(messages) {
  const { tool_calls } = [...history, ...messages].at(-1);
  await save(messages, { status: 'waiting_for_approval', pending_tool_calls: tool_calls });
}

/** Makes the approved call once and reports the result. */
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
  // The key says what the call does. A real agent would name the order; this one knows only its run.
  const refund = { key: `refund:${trace_id}`, tool: 'refund', args, callId: call.id };
  try {
    return await waystation.effect({ thread_id, trace_id }, refund, ({ key }) => payAtBank(key, args));
  } catch (error) {
    if (!(error instanceof EffectInDoubtError)) throw error;
    console.error(`Nobody knows whether ${refund.key} was paid. Ask the bank, settle the effect, then retry the run.`);
    process.exit(1);
  }
}

/** Stands in for a bank that pays and responds late. Give a real one the key, too: then it pays once even if asked twice. */
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
