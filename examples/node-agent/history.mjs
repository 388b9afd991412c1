/** The tool calls of the last answer that have no result yet. */
export function pendingCalls(history) {
  const at = history.findLastIndex(({ role }) => role === 'assistant');
  const answered = new Set(history.slice(at + 1).map((message) => message.tool_call_id));
  return (history[at]?.tool_calls ?? []).filter(({ id }) => !answered.has(id));
}

/** Whether the last word is an answer that asks for nothing more. */
export function isAnswered(history) {
  const last = history.at(-1);
  return last.role === 'assistant' && last.tool_calls === undefined;
}

/**
 * Makes room: what lies between the task and the last round gives way to a summary. A round begins with an answer and holds
 * the results of its tool calls, so that no result is left without its call.
 * @returns the places of the messages to keep, with null for the summary
 */
export function placesAfterTrim(history) {
  const lastRound = history.findLastIndex(({ role }) => role === 'assistant');
  return [0, 1, null, ...[...history.keys()].slice(lastRound)];
}
