import { Random, derivedSeed } from './random.mjs';
import { AGENTS, MODELS, WORDS } from './vocabulary.mjs';

/** One thread in this many has the rare agent, and another the rare status. */
export const RARE_EVERY = 5000;
export const RARE_AGENT = 'auditor';
export const RARE_STATUS = 'budget_exceeded';

const ENDS = ['completed', 'completed', 'completed', 'completed', 'completed', 'completed', 'in_progress', 'error'];

/**
 * The events of a small thread for the thread list: one checkpoint per step, the last one with the final status.
 * @param {number} seed @param {number} number of the thread @param {number} steps
 * @returns {string[]} JSON texts
 */
export function seededThread(seed, number, steps) {
  const random = new Random(derivedSeed(seed, number));
  const { thread_id, trace_id, agent_id, status: end, model, tokensPerStep } = outlineOf(random, number);
  const identity = { thread_id, trace_id, parent_trace_id: null, agent_id };
  const messages = Array.from({ length: steps + 1 }, (_, index) => shortMessage(random, index));
  return Array.from({ length: steps }, (_, step) => {
    const status = step === steps - 1 ? end : 'in_progress';
    const data = {
      ...identity,
      step_index: step,
      status,
      ...historyOf(messages, step),
      ...costs(step, tokensPerStep, model),
    };
    return JSON.stringify({ type: 'checkpoint', data });
  });
}

function outlineOf(random, number) {
  return {
    thread_id: `list-${String(number).padStart(7, '0')}-${random.hex(12)}`,
    trace_id: random.uuid(),
    agent_id: number % RARE_EVERY === 7 ? RARE_AGENT : random.pick(AGENTS),
    model: random.pick(MODELS),
    status: number % RARE_EVERY === 11 ? RARE_STATUS : random.pick(ENDS),
    tokensPerStep: 100 + random.below(5000),
  };
}

function historyOf(messages, step) {
  const history = messages.slice(0, step + 2);
  const history_meta = history.map((_, index) => ({
    ts: new Date(Date.UTC(2026, 10, 2) + index * 1700).toISOString(),
  }));
  return { history, history_meta };
}

function shortMessage(random, index) {
  const content = Array.from({ length: 10 }, () => random.pick(WORDS)).join(' ');
  return { role: index % 2 === 0 ? 'user' : 'assistant', content: `${content} ${random.hex(6)}` };
}

function costs(step, tokensPerStep, model) {
  const tokens = tokensPerStep * (step + 1);
  return {
    tokens_used: tokens,
    input_tokens: Math.floor(tokens * 0.8),
    output_tokens: tokens - Math.floor(tokens * 0.8),
    model,
    turn_start_history_len: step,
    pending_tool_calls: [],
    run_cost_usd: tokens / 100_000,
    budget_usd: 2,
    budget_warning: false,
  };
}

/**
 * How many of the first threads match, counted no further than needed.
 * @param {{seed: number, threads: number, oneOf: Record<string, string[]>, atMost: number}} question `oneOf`: allowed values by field
 * @returns {number}
 */
export function countMatching({ seed, threads, oneOf, atMost }) {
  const fields = Object.entries(oneOf);
  let found = 0;
  for (let number = 0; number < threads && found < atMost; number += 1) {
    const outline = outlineOf(new Random(derivedSeed(seed, number)), number);
    if (fields.every(([field, allowed]) => allowed.includes(outline[field]))) found += 1;
  }
  return found;
}
