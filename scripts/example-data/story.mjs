import { threadPath } from '../demo/api.mjs';

/** US dollars per million tokens, in and out; the models are made up, as are the agents. */
const PRICES = { 'small-4': [0.8, 3.2], 'large-2': [2.5, 10], 'reasoner-1': [3, 15] };

/** The events of one thread with their times: `acts` are played in order. */
export class Story {
  acts = [];
  laterMs = 0;

  constructor(threadId, startMs) {
    this.threadId = threadId;
    this.atMs = startMs;
  }

  run(fields) {
    return new StoryRun(this, fields);
  }

  wait(seconds) {
    this.atMs += Math.round(seconds * 1000);
    return this;
  }

  act(play) {
    this.acts.push({ atMs: this.atMs, play });
  }

  /** Shifts everything so that the last action happens at this time. */
  endAt(ms) {
    const byMs = ms - (this.acts.at(-1)?.atMs ?? ms);
    for (const act of this.acts) act.atMs += byMs;
    this.laterMs += byMs;
    this.atMs += byMs;
    return this;
  }
}

/** A run as its agent would report it: a checkpoint after each model response and each round of tools, with the whole conversation. */
export class StoryRun {
  history = [];
  meta = [];
  #story;
  #step = 0;
  #turnStart = 0;
  #tokens = { in: 0, out: 0 };
  #cost = 0;
  #calls = 0;
  #waiting = null;

  constructor(story, { agent, model, trace, parent = null, budget = 1 }) {
    this.#story = story;
    Object.assign(this, { agent, model, parent, budget });
    this.trace = trace ?? `example:${story.threadId}`;
  }

  /** Restarts after a crash: the same run, from its last checkpoint. */
  start() {
    const { agent: agent_id, model, trace: trace_id, parent: parent_trace_id } = this;
    return this.#report('thread_started', { agent_id, model, trace_id, parent_trace_id });
  }

  wait(seconds) {
    this.#story.wait(seconds);
    return this;
  }

  /** A message from outside begins a turn. */
  user(content) {
    this.#turnStart = this.history.length;
    return this.#add({ role: 'user', content });
  }

  /** Adds any message unchanged, without a checkpoint. */
  add(message) {
    return this.#add(message);
  }

  system(content) {
    return this.#add({ role: 'system', content });
  }

  /** The model responds, and the agent reports. */
  answer(content, seconds = 3) {
    return this.wait(seconds).#say({ role: 'assistant', content }).save();
  }

  /** The model calls tools, `[name, args, result]` each; the agent reports after the calls and after the results. */
  tools(calls, { content = null, seconds = 2 } = {}) {
    const tool_calls = calls.map(([name, args]) => call(name, args, `call_${++this.#calls}`));
    this.wait(seconds).#say({ role: 'assistant', content, tool_calls }).save();
    this.wait(seconds / 2);
    calls.forEach(([, , result], at) => this.#add(toolAnswer(tool_calls[at].id, result)));
    return this.save();
  }

  /** The model calls tools that need approval. */
  ask(calls, { content = null, seconds = 4, features = ['per_call', 'edit_args'], timeout } = {}) {
    const tool_calls = calls.map(([name, args]) => call(name, args, `call_${++this.#calls}`));
    this.wait(seconds).#say({ role: 'assistant', content, tool_calls });
    this.#waiting = { tool_calls, step: this.#step };
    const declared = { approval_features: features, ...(timeout ? { approval_timeout_seconds: timeout } : {}) };
    return this.save({ status: 'waiting_for_approval', pending_tool_calls: tool_calls, ...declared });
  }

  /** A person decides; with `results` the agent continues. */
  decide(verb, body, results = []) {
    const { tool_calls, step } = this.#waiting;
    const path = `/approvals/${encodeURIComponent(this.trace)}/${step}/${verb}`;
    this.#story.act((api) => api.post(path, JSON.stringify(body)));
    if (results.length === 0) return this;
    results.forEach((result, at) => this.#add(toolAnswer(tool_calls[at].id, result)));
    return this.wait(1).save();
  }

  /** A tool call with side effects; without a result its outcome is unknown. */
  effect(key, tool, args, result) {
    const path = `/v1/runners${threadPath(this.#story.threadId, '/effects')}`;
    const claim = { trace_id: this.trace, agent_id: this.agent, key, tool, args };
    this.#story.act((api) => api.post(path, JSON.stringify(claim)));
    if (result === undefined) return this;
    const settling = { attempt: 1, outcome: 'completed', result };
    this.wait(1);
    this.#story.act((api) => api.put(`${path}/${encodeURIComponent(key)}`, JSON.stringify(settling)));
    return this;
  }

  save(more = {}) {
    const spent = { tokens_used: this.#tokens.in + this.#tokens.out, run_cost_usd: round(this.#cost) };
    const isNear = this.budget !== null && this.#cost >= 0.8 * this.budget;
    this.#report('checkpoint', {
      trace_id: this.trace,
      parent_trace_id: this.parent,
      agent_id: this.agent,
      step_index: this.#step++,
      status: 'in_progress',
      history: [...this.history],
      history_meta: [...this.meta],
      ...spent,
      input_tokens: this.#tokens.in,
      output_tokens: this.#tokens.out,
      model: this.model,
      turn_start_history_len: this.#turnStart,
      pending_tool_calls: [],
      budget_usd: this.budget ?? 0,
      budget_warning: isNear,
      ...more,
    });
    if (isNear && !this.isWarned)
      this.#report('budget_warning', { trace_id: this.trace, agent_id: this.agent, ...spent });
    this.isWarned ||= isNear;
    return this;
  }

  /** The process dies: its next attempt begins with the history of its first start. */
  crash(secondsUntilRestart, keep = this.#turnStart + 1) {
    this.wait(secondsUntilRestart);
    this.history = this.history.slice(0, keep);
    this.meta = this.meta.slice(0, keep);
    this.#step = 0;
    this.#tokens = { in: 0, out: 0 };
    this.#cost = 0;
    this.isWarned = false;
    return this.start();
  }

  complete() {
    return this.wait(0.3).#report('thread_completed', { ...this.#spent, model: this.model });
  }

  fail(error) {
    return this.wait(0.5).#report('thread_error', { ...this.#spent, error });
  }

  exceedBudget() {
    return this.wait(0.3).#report('thread_budget_exceeded', { ...this.#spent, budget_usd: this.budget });
  }

  idle() {
    return this.#report('thread_idle', { trace_id: this.trace, agent_id: this.agent });
  }

  cancel() {
    const path = threadPath(this.#story.threadId, `/runs/${encodeURIComponent(this.trace)}/cancel`);
    this.#story.act((api) => api.post(path, '{}'));
    return this;
  }

  get #spent() {
    return { trace_id: this.trace, tokens_used: this.#tokens.in + this.#tokens.out, run_cost_usd: round(this.#cost) };
  }

  #say(message) {
    const [perIn, perOut] = PRICES[this.model] ?? PRICES['small-4'];
    const tokensIn = this.history.reduce((sum, one) => sum + tokensOf(one), 850);
    const tokensOut = tokensOf(message);
    this.#tokens = { in: this.#tokens.in + tokensIn, out: this.#tokens.out + tokensOut };
    this.#cost += (tokensIn * perIn + tokensOut * perOut) / 1_000_000;
    return this.#add(message, { tokens_in: tokensIn, tokens_out: tokensOut });
  }

  /** A model response in any shape, with a checkpoint. */
  say(message, seconds = 3) {
    return this.wait(seconds).#say(message).save();
  }

  #add(message, tokens = {}) {
    this.history.push(message);
    this.meta.push({ ts: { ms: this.#story.atMs }, ...tokens });
    return this;
  }

  #report(type, fields) {
    const { threadId } = this.#story;
    const act = { type, data: { thread_id: threadId, ...fields } };
    this.#story.act((api, laterMs) => api.post('/v1/runners/events', batchOf(act, laterMs)));
    return this;
  }
}

function call(name, args, id) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

function toolAnswer(id, result) {
  return { role: 'tool', tool_call_id: id, content: typeof result === 'string' ? result : JSON.stringify(result) };
}

/** Computes message times only when the story is played, as it may have been shifted. */
function batchOf({ type, data }, laterMs) {
  const meta = data.history_meta?.map(({ ts, ...rest }) => ({ ts: new Date(ts.ms + laterMs).toISOString(), ...rest }));
  return JSON.stringify({ events: [{ type, data: meta ? { ...data, history_meta: meta } : data }] });
}

function tokensOf(message) {
  return Math.ceil(JSON.stringify(message).length / 4);
}

function round(cost) {
  return Math.round(cost * 1e6) / 1e6;
}
