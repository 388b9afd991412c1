// Replaces Claude Code's program: asks the SDK about the calls of SCRIPTED_CALLS, `[{name, input}]`, and prints the answers.
import { createInterface } from 'node:readline';

const calls = JSON.parse(process.env.SCRIPTED_CALLS);
const session_id = process.env.SCRIPTED_SESSION;
const told = [];

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Asks about the calls one after the other. */
function askNext() {
  const call = calls[told.length];
  if (call) {
    const request = {
      subtype: 'can_use_tool',
      tool_name: call.name,
      input: call.input,
      tool_use_id: `toolu_${told.length}`,
    };
    return send({ type: 'control_request', request_id: `ask-${told.length}`, request });
  }
  const usage = { input_tokens: 0, output_tokens: 0 };
  const result = JSON.stringify(told);
  send({
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    result,
    session_id,
    usage,
    total_cost_usd: 0,
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === 'control_request') {
    const response = { subtype: 'success', request_id: message.request_id, response: {} };
    send({ type: 'control_response', response });
  } else if (message.type === 'control_response') {
    told.push(message.response.response ?? message.response.error);
    askNext();
  } else if (message.type === 'user') {
    askNext();
  }
}
