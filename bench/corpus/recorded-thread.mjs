import { Random, derivedSeed } from './random.mjs';
import { messageText, metaText } from './messages.mjs';
import { AGENTS, MODELS } from './vocabulary.mjs';

/**
 * What both processes need to build the same corpus.
 * @typedef {object} CorpusShape
 * @property {number} seed
 * @property {string} prefix    start of the thread ids
 * @property {number} threads
 * @property {number} turns     checkpoints per thread, two new messages each
 * @property {boolean} [hasBases]  whether each checkpoint continues the previous one and carries only its two new messages
 * @property {number} [from]    the first turn to send; absent = 0
 * @property {number} [window]  limit of messages in a history, including the system message; absent = all
 */

/** One agent run: its messages as exact JSON texts, and the checkpoints that carry them. */
export class RecordedThread {
  /** @param {CorpusShape} shape @param {number} number of the thread, from 0 */
  constructor(shape, number) {
    const random = new Random(derivedSeed(shape.seed, number));
    this.threadId = `${shape.prefix}-${random.uuid()}`;
    this.traceId = random.uuid();
    this.agentId = random.pick(AGENTS);
    this.model = random.pick(MODELS);
    this.turns = shape.turns;
    this.window = shape.window ?? Infinity;
    this.hasBases = shape.hasBases ?? false;
    this.from = shape.from ?? 0;
    this.messages = Array.from({ length: shape.turns * 2 }, (_, index) => messageText(random, index));
    this.metas = this.messages.map((_, index) => metaText(random, index));
  }

  /** @returns {number} UTF-8 bytes of the messages, each counted once */
  messageBytes() {
    return this.messages.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  }

  /** @param {number} turn from 0 @returns {string} the JSON array as reported */
  historyText(turn) {
    return `[${this.#visible(this.messages, turn).join(',')}]`;
  }

  /** @param {number} turn from 0 @returns {string} the JSON array as reported */
  metaArrayText(turn) {
    return `[${this.#visible(this.metas, turn).join(',')}]`;
  }

  /** @returns {Buffer[]} the bodies of the turns to send */
  bodies() {
    const turns = Array.from({ length: this.turns - this.from }, (_, index) => this.from + index);
    return turns.map((turn) => (this.hasBases && turn > 0 ? this.basedBody(turn) : this.batchBody(turn)));
  }

  /** @param {number} turn from 1 @returns {Buffer} the body of a POST that continues the previous turn */
  basedBody(turn) {
    const { before, after } = this.#scalars(turn);
    const known = turn * 2;
    const added = (list) => `[${list.slice(known, known + 2).join(',')}]`;
    const base = `"history_base":{"id":"${this.#eventId(turn - 1)}","length":${known}}`;
    const data = `{${before},${base},"history":${added(this.messages)},"history_meta":${added(this.metas)},${after}}`;
    return Buffer.from(`{"events":[{"type":"checkpoint","id":"${this.#eventId(turn)}","data":${data}}]}`);
  }

  /** @param {number} turn from 0 @returns {Buffer} the body of one POST: a batch of one checkpoint */
  batchBody(turn) {
    const { before, after } = this.#scalars(turn);
    const data = `{${before},"history":${this.historyText(turn)},"history_meta":${this.metaArrayText(turn)},${after}}`;
    const id = this.hasBases ? `"id":"${this.#eventId(turn)}",` : '';
    return Buffer.from(`{"events":[{"type":"checkpoint",${id}"data":${data}}]}`);
  }

  /** @param {number} turn from 0 @returns {Record<string, unknown>} what was reported besides history and history_meta */
  scalarFields(turn) {
    const { before, after } = this.#scalars(turn);
    return JSON.parse(`{${before},${after}}`);
  }

  #eventId(turn) {
    return `${this.traceId}-${turn}`;
  }

  #visible(list, turn) {
    const known = (turn + 1) * 2;
    if (known <= this.window) return list.slice(0, known);
    return [list[0], ...list.slice(known - this.window + 1, known)];
  }

  #scalars(turn) {
    const tokensIn = 850 * (turn + 1);
    const tokensOut = 210 * (turn + 1);
    const before = {
      thread_id: this.threadId,
      trace_id: this.traceId,
      parent_trace_id: null,
      agent_id: this.agentId,
      step_index: turn,
      status: 'in_progress',
    };
    const after = {
      tokens_used: tokensIn + tokensOut,
      input_tokens: tokensIn,
      output_tokens: tokensOut,
      model: this.model,
      turn_start_history_len: turn * 2,
      pending_tool_calls: [],
      run_cost_usd: Math.round(tokensIn * 2.5 + tokensOut * 10) / 1e6,
      budget_usd: 5,
      budget_warning: false,
    };
    return { before: inner(before), after: inner(after) };
  }
}

function inner(object) {
  return JSON.stringify(object).slice(1, -1);
}
