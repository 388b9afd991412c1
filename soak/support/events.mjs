/** Limit of messages in a history: keeps long loads small, and trims histories as clients do. */
const WINDOW = 20;

/**
 * The text of a history with predictable bytes: numbers that doubles cannot hold, letters beyond ASCII, unsorted keys.
 * @param {string} threadId @param {number} step @param {number} [padding] further characters in each message
 * @returns {string}
 */
export function historyText(threadId, step, padding = 0) {
  const messages = [];
  for (let n = Math.max(0, 2 * step + 2 - WINDOW); n < 2 * step + 2; n += 1)
    messages.push(messageText(threadId, n, padding));
  return `[${messages.join(',')}]`;
}

/** @returns {string} the JSON of one checkpoint event @param {Record<string, unknown>} [fields] replace the usual ones */
export function checkpointText(threadId, step, { padding = 0, ...fields } = {}) {
  const data = {
    ...{ thread_id: threadId, trace_id: `${threadId}-run`, agent_id: 'soak', step_index: step, status: 'in_progress' },
    ...{
      tokens_used: 100 * (step + 1),
      input_tokens: 80 * (step + 1),
      output_tokens: 20 * (step + 1),
      model: 'soak-1',
    },
    ...fields,
  };
  return `{"type":"checkpoint","data":${withHistory(data, threadId, step, padding)}}`;
}

/** @returns {object} a checkpoint whose tool call waits for a person */
export function waitingEvent(threadId, traceId, step, fields = {}) {
  const call = { id: `call-${step}`, type: 'function', function: { name: 'refund', arguments: '{"cents":1999}' } };
  const data = {
    ...{ thread_id: threadId, trace_id: traceId, agent_id: 'soak', step_index: step, status: 'waiting_for_approval' },
    ...{ history: [], history_meta: [], pending_tool_calls: [call], ...fields },
  };
  return { type: 'checkpoint', data };
}

/** @returns {object} the end of the run that `checkpointText` reports */
export function completedEvent(threadId) {
  return { type: 'thread_completed', data: { thread_id: threadId, trace_id: `${threadId}-run`, tokens_used: 1 } };
}

function withHistory(data, threadId, step, padding) {
  return `${JSON.stringify(data).slice(0, -1)},"history":${historyText(threadId, step, padding)}}`;
}

/** @returns {string} the JSON of the n-th message of a thread */
export function messageText(threadId, n, padding) {
  const role = n % 2 === 0 ? 'user' : 'assistant';
  const filling = padding === 0 ? '' : 'x'.repeat(padding);
  return `{"role":"${role}","z":90071992547409931${n},"content":"Grüße ${n} of ${threadId} \\u00e9 ${filling}","a":1.10}`;
}
