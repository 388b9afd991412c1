import { randomUUID } from 'node:crypto';
import { placesAfterTrim } from './history.mjs';
import { event } from './waystation.mjs';

const WARNING_LEVEL = 0.8;

/** One run of an agent: its memory, and the reports from which it resumes after a crash. */
export class AgentRun {
  history = [];
  meta = [];
  isResumed = false;
  isCompleted = false;
  #step = 0;
  #tokens = { input_tokens: 0, output_tokens: 0 };
  #cost = 0;
  #isWarned = false;
  #waystation;
  #conversation;
  #ids;

  constructor(waystation, conversation, ids) {
    this.#waystation = waystation;
    this.#conversation = conversation;
    this.#ids = { ...ids, agent_id: conversation.agent_id };
  }

  get agentId() {
    return this.#ids.agent_id;
  }

  get traceId() {
    return this.#ids.trace_id;
  }

  /**
   * Resumes this agent's run in the thread, or starts one. Asks only for its own checkpoints: the thread's latest may be another agent's. A
   * completed run is only loaded.
   */
  static async open(waystation, conversation, { threadId, parentTraceId = null }) {
    const saved = await waystation.latest(threadId, { agent_id: conversation.agent_id });
    const isKnown = ['in_progress', 'completed'].includes(saved?.status) && saved.parent_trace_id === parentTraceId;
    const trace_id = isKnown ? saved.trace_id : randomUUID();
    const run = new AgentRun(waystation, conversation, {
      thread_id: threadId,
      trace_id,
      parent_trace_id: parentTraceId,
    });
    if (isKnown) run.#restore(saved);
    else await waystation.report(event('thread_started', { ...run.#ids, model: conversation.model }));
    if (run.history.length === 0) run.#begin();
    return run;
  }

  /** Adds a message to the memory; `tokens` only for a model's messages. */
  add(message, tokens) {
    this.history.push(message);
    this.meta.push({ ts: new Date().toISOString(), ...tokens });
    if (tokens === undefined) return;
    const { in: priceIn, out: priceOut } = this.#conversation.price_usd_per_million;
    this.#tokens.input_tokens += tokens.tokens_in;
    this.#tokens.output_tokens += tokens.tokens_out;
    const microDollars = this.#cost * 1e6 + tokens.tokens_in * priceIn + tokens.tokens_out * priceOut;
    this.#cost = Math.round(microDollars) / 1e6;
  }

  /** Shortens the memory beyond the conversation's limit. */
  trim() {
    const { history_limit, summary } = this.#conversation;
    if (this.history.length <= history_limit) return;
    const places = placesAfterTrim(this.history);
    const now = { ts: new Date().toISOString() };
    this.meta = places.map((place) => (place === null ? now : this.meta[place]));
    this.history = places.map((place) => (place === null ? { role: 'user', content: summary } : this.history[place]));
  }

  /** Reports the memory as the next step. Calls `watch` before sending and after storing. */
  async save(watch = {}) {
    const checkpoint = this.#checkpoint();
    watch.onSaving?.(checkpoint);
    const events = [event('checkpoint', checkpoint)];
    if (checkpoint.budget_warning && !this.#isWarned) events.push(this.#warning(checkpoint));
    await this.#waystation.report(...events);
    this.#isWarned = checkpoint.budget_warning;
    this.#step += 1;
    watch.onSaved?.(checkpoint);
  }

  async complete() {
    if (this.isCompleted) return;
    const { thread_id, trace_id } = this.#ids;
    const { model } = this.#conversation;
    await this.#waystation.report(
      event('thread_completed', { thread_id, trace_id, tokens_used: this.#tokensUsed, model }),
    );
  }

  get #tokensUsed() {
    return this.#tokens.input_tokens + this.#tokens.output_tokens;
  }

  /** The system message and the task. */
  #begin() {
    this.add({ role: 'system', content: this.#conversation.system });
    this.add({ role: 'user', content: this.#conversation.user });
  }

  #restore(saved) {
    this.isResumed = true;
    this.isCompleted = saved.status === 'completed';
    this.history = saved.history;
    this.meta = saved.history_meta;
    this.#tokens = { input_tokens: saved.input_tokens, output_tokens: saved.output_tokens };
    this.#cost = saved.run_cost_usd;
    this.#isWarned = saved.budget_warning;
    this.#step = saved.history.length === 0 ? 0 : saved.step_index + 1;
  }

  #checkpoint() {
    const { model, budget_usd } = this.#conversation;
    return {
      ...this.#ids,
      step_index: this.#step,
      status: 'in_progress',
      history: this.history,
      history_meta: this.meta,
      tokens_used: this.#tokensUsed,
      ...this.#tokens,
      model,
      turn_start_history_len: 0,
      pending_tool_calls: [],
      run_cost_usd: this.#cost,
      budget_usd,
      budget_warning: this.#cost >= WARNING_LEVEL * budget_usd,
    };
  }

  #warning({ thread_id, trace_id, agent_id, run_cost_usd, budget_usd }) {
    return event('budget_warning', { thread_id, trace_id, agent_id, run_cost_usd, budget_usd });
  }
}
