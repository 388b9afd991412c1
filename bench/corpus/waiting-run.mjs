import { Random, derivedSeed } from './random.mjs';
import { AGENTS, MODELS, WORDS } from './vocabulary.mjs';

/**
 * A run whose tool calls wait for a person, in a thread of its own.
 * @param {number} seed @param {number} number of the run
 */
export function waitingRun(seed, number) {
  const random = new Random(derivedSeed(seed, number));
  const trace_id = `waiting-${String(number).padStart(7, '0')}-${random.hex(12)}`;
  const thread_id = `of-${trace_id}`;
  const agent_id = random.pick(AGENTS);
  const step = random.below(20);
  return {
    thread_id,
    trace_id,
    agent_id,
    step,
    event: () => eventText(random, { thread_id, trace_id, agent_id, step }),
  };
}

/** Like agents' reports while they wait: no history, but its metadata. */
function eventText(random, { thread_id, trace_id, agent_id, step }) {
  const ts = new Date(Date.UTC(2026, 10, 2) + step * 1700).toISOString();
  const data = {
    ...{ thread_id, trace_id, parent_trace_id: null, agent_id, step_index: step, status: 'waiting_for_approval' },
    history: [],
    history_meta: Array.from({ length: 2 * step + 2 }, () => ({ ts })),
    ...{ tokens_used: 900 * step, input_tokens: 800 * step, output_tokens: 100 * step, model: random.pick(MODELS) },
    ...{ turn_start_history_len: 0, run_cost_usd: step / 100, budget_usd: 2, budget_warning: false },
    pending_tool_calls: [toolCall(random)],
  };
  return JSON.stringify({ type: 'checkpoint', data });
}

function toolCall(random) {
  const note = Array.from({ length: 12 }, () => random.pick(WORDS)).join(' ');
  const args = { order: random.below(1_000_000), cents: random.below(100_000), note };
  return {
    id: `call_${random.hex(8)}`,
    type: 'function',
    function: { name: 'issue_refund', arguments: JSON.stringify(args) },
  };
}
